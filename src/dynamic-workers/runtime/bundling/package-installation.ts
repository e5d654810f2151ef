import { InMemoryFileSystem, installDependencies } from "@cloudflare/worker-bundler";
import type { ZippedFiles } from "./app-files.ts";

const MANIFEST = "package.json";

/** What tells the installer that a package is there. */
const INSTALLED = /^node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/;

/**
 * Adds the packages that an app's package.json names, and that its files do not hold, with what they need themselves.
 * All are in one folder: of a package that is needed in two versions there is the one that was asked for first.
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
  const folder = new InMemoryFileSystem();
  for (const path of files.paths()) {
    if (INSTALLED.test(path)) folder.write(path, "{}");
  }
  const { dependencies, problem } = readDependencies(manifest);
  if (problem !== undefined) return { installed: [], problems: [problem] };
  for (const name of provided) delete dependencies[name];
  for (const path of Object.keys(dependencies).map((name) => `node_modules/${name}/${MANIFEST}`)) {
    if (files.has(path)) folder.write(path, "{}");
  }
  folder.write(MANIFEST, JSON.stringify({ dependencies }));
  const { installed, warnings } = await installDependencies(
    folder,
    registry === undefined ? {} : { registry },
  );
  for (const path of folder.list("node_modules/")) {
    if (!files.has(path)) files.add(path, folder.read(path) ?? "");
  }
  return { installed, problems: warnings };
}

/** Only what the app needs to run: neither what it is developed with, nor what it can do without. */
function readDependencies(manifest: string): { dependencies: Record<string, string>; problem?: string } {
  try {
    const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(manifest);
    return { dependencies: { ...dependencies } };
  } catch {
    return { dependencies: {}, problem: `${MANIFEST} is no JSON` };
  }
}
