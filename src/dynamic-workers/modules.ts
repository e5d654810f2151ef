/**
 * The modules that Dynamic Workers are made of, by the names that their code imports them by, and the files that
 * `scripts/build-assets.ts` makes of the sources in `runtime/` and of packages.
 */
const FILES = {
  "app-runner.js": "app-runner.js",
  "app-describer.js": "app-describer.js",
  "script-runner.js": "script-runner.js",
  "script-compiler.js": "script-compiler.js",
  "compile-script.js": "compile-script.js",
  "bundler.js": "bundler.js",
  "berth-console": "console.js",
  "berth-loop-guard": "loop-guard.js",
  "@cloudflare/playwright": "playwright.js",
  "@onkernel/sdk": "kernel-sdk.js",
  "playwright-core": "playwright-core.js",
  playwright: "playwright-core.js",
} as const;

export type ModuleName = keyof typeof FILES;

/** The host of the URL means nothing to the binding. */
const FOLDER = "https://assets.invalid/dynamic-workers/";

const texts = new Map<ModuleName, Promise<string>>();

/** A module's source, read once per isolate: the largest has 2 MB, and each load of a Worker wants it. */
export function readModule(env: Env, name: ModuleName): Promise<string> {
  const kept = texts.get(name);
  if (kept !== undefined) return kept;
  const text = readAsset(env, FILES[name]).then((response) => response.text());
  texts.set(name, text);
  text.catch(() => texts.delete(name));
  return text;
}

/** Several modules by their names, as the loader takes them. */
export async function readModules(
  env: Env,
  names: readonly ModuleName[],
): Promise<Record<string, { js: string }>> {
  const read = async (name: ModuleName) => [name, { js: await readModule(env, name) }] as const;
  return Object.fromEntries(await Promise.all(names.map(read)));
}

/** A file beside the modules, read anew each time. */
export async function readAsset(env: Env, name: string): Promise<Response> {
  const response = await env.ASSETS.fetch(FOLDER + name);
  if (!response.ok) throw new Error(`The asset ${name} is missing (${response.status})`);
  return response;
}
