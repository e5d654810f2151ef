import type { ZippedFiles } from "./app-files.ts";
import { readDependencies } from "./package-manifest.ts";
import { PackageRegistry } from "./package-registry.ts";
import { layOutPackages } from "./package-tree.ts";

const MANIFEST = "package.json";

const BROUGHT = /^node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/;

/**
 * Adds the packages that an app's package.json names, and that its files do not hold, with what they need themselves: of the
 * app's own neither what it is developed with nor its peers, which tools for developing are among.
 *
 * @param provided packages that the app finds where it runs.
 * @param registry absent: npm's own.
 * @returns what was installed, as `name@version`, and what went wrong.
 */
export async function installPackages(
  files: ZippedFiles,
  provided: readonly string[],
  registry: string | undefined,
): Promise<{ installed: string[]; problems: string[] }> {
  const manifest = await files.read(MANIFEST);
  if (manifest === undefined) return { installed: [], problems: [] };
  const json = parse(manifest);
  if (json === undefined) return { installed: [], problems: [`${MANIFEST} is no JSON`] };
  const dependencies = readDependencies(json).filter(({ isPeer }) => !isPeer);
  const brought = [...files.paths()].flatMap((path) => BROUGHT.exec(path)?.[1] ?? []);
  // What a link in the zip stands for is not among its paths.
  const linked = dependencies
    .map(({ name }) => name)
    .filter((name) => files.has(`node_modules/${name}/${MANIFEST}`));
  const { packages, problems } = await layOutPackages(
    dependencies,
    [...provided, ...brought, ...linked],
    new PackageRegistry(registry),
  );
  for (const [folder, { files: texts }] of packages) {
    for (const [path, text] of texts) {
      if (!files.has(`${folder}/${path}`)) files.add(`${folder}/${path}`, text);
    }
  }
  const titles = [...packages.values()].map(({ name, version }) => `${name}@${version}`);
  return { installed: [...new Set(titles)].sort(), problems };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
