import { parseJSON } from "../../../../lib/common/parse-json.ts";
import type { ZippedFiles } from "./app-files.ts";
import { readDependencies } from "./package-manifest.ts";
import { PackageRegistry } from "./package-registry.ts";
import { buildPackageTree } from "./package-tree.ts";

const MANIFEST = "package.json";

const BUNDLED = /^node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/;

/** Adds the missing dependencies of an app, without its dev dependencies and peers. */
export async function installPackages(
  files: ZippedFiles,
  provided: readonly string[],
  registry: string | undefined,
): Promise<{ installed: string[]; problems: string[] }> {
  const manifest = await files.read(MANIFEST);
  if (manifest === undefined) return { installed: [], problems: [] };
  const json = parseJSON(manifest);
  if (json === undefined) return { installed: [], problems: [`${MANIFEST} is not valid JSON`] };
  const dependencies = readDependencies(json).filter(({ isPeer }) => !isPeer);
  const bundled = [...files.paths()].flatMap((path) => BUNDLED.exec(path)?.[1] ?? []);
  // The paths of the zip do not include packages behind symlinks.
  const linked = dependencies
    .map(({ name }) => name)
    .filter((name) => files.has(`node_modules/${name}/${MANIFEST}`));
  const { packages, problems } = await buildPackageTree(
    dependencies,
    [...provided, ...bundled, ...linked],
    new PackageRegistry(registry),
  );
  for (const [folder, { files: texts }] of packages) {
    for (const [path, text] of texts) {
      if (!files.has(`${folder}/${path}`)) files.add(`${folder}/${path}`, text);
    }
  }
  const specs = [...packages.values()].map(({ name, version }) => `${name}@${version}`);
  return { installed: [...new Set(specs)].sort(), problems };
}
