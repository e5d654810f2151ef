/** Files that `scripts/build-assets.ts` builds, by the names in imports. */
const FILES = {
  "app-runner.js": "app-runner.js",
  "app-describer.js": "app-describer.js",
  "script-runner.js": "script-runner.js",
  "script-compiler.js": "script-compiler.js",
  "compile-script.js": "compile-script.js",
  "bundler.js": "bundler.js",
  "page-driver.js": "page-driver.js",
  "berth-console": "console.js",
  "berth-loop-guard": "loop-guard.js",
  "@cloudflare/playwright": "playwright.js",
  "@onkernel/sdk": "kernel-sdk.js",
  "playwright-core": "playwright-core.js",
  playwright: "playwright-core.js",
} as const;

export type ModuleName = keyof typeof FILES;

const FOLDER = "https://assets.invalid/dynamic-workers/";

const texts = new Map<ModuleName, string>();

/** Cached per isolate: the largest has 2 MB. Objects share no promises: each belongs to its request. */
export async function readModule(env: Env, name: ModuleName): Promise<string> {
  const kept = texts.get(name);
  if (kept !== undefined) return kept;
  const response = await readAsset(env, FILES[name]);
  const text = await response.text();
  texts.set(name, text);
  return text;
}

export async function readModules(
  env: Env,
  names: readonly ModuleName[],
): Promise<Record<string, { js: string }>> {
  const read = async (name: ModuleName) => [name, { js: await readModule(env, name) }] as const;
  return Object.fromEntries(await Promise.all(names.map(read)));
}

export async function readAsset(env: Env, name: string): Promise<Response> {
  const response = await env.ASSETS.fetch(FOLDER + name);
  if (!response.ok) throw new Error(`The asset ${name} is missing (${response.status})`);
  return response;
}
