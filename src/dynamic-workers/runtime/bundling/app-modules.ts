import { isBuiltin } from "node:module";
import type { OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from "esbuild-wasm";
import type { AppFiles } from "./app-files.ts";
import { resolveModule } from "./module-resolution.ts";

/** The app's files: paths begin with a slash, by which esbuild tells packages from the app. */
const APP = "app";

/** Modules that are made up here. */
const REQUIRED = "required";
const EMPTY = "empty";

const LOADERS: Record<string, OnLoadResult["loader"]> = {
  ts: "ts",
  mts: "ts",
  cts: "ts",
  tsx: "tsx",
  jsx: "jsx",
  json: "json",
};

/**
 * Has esbuild find an app's modules in its files.
 *
 * @param provided packages that the app finds where it runs, whatever is in its files.
 */
export function appModules(files: AppFiles, provided: readonly string[]): Plugin {
  const resolve = async (args: OnResolveArgs): Promise<OnResolveResult | undefined> => {
    if (args.kind === "entry-point") return inApp(args.path);
    const outside = findOutside(args.path);
    if (outside !== undefined) {
      // A module of its own makes an import of what `require` would have to find at run time.
      const isRequired = args.kind === "require-call" && args.namespace !== REQUIRED;
      return isRequired ? { path: outside, namespace: REQUIRED } : { path: outside, external: true };
    }
    const found = await resolveModule(files, {
      specifier: args.path,
      directory: args.importer.slice(1, Math.max(1, args.importer.lastIndexOf("/"))),
      isRequire: args.kind === "require-call",
    });
    if (found === "empty") return { path: args.path, namespace: EMPTY };
    if (found !== undefined) return inApp(found.path);
    return mayBeMissing(args)
      ? { path: args.path, external: true }
      : { errors: [{ text: describe(args.path) }] };
  };

  /** Packages try what they can do without, and catch what that throws. */
  function mayBeMissing({ kind, importer }: OnResolveArgs): boolean {
    return importer.includes("/node_modules/") && (kind === "require-call" || kind === "dynamic-import");
  }

  function describe(specifier: string): string {
    const [, name = specifier] = /^((?:@[^/]+\/)?[^/]+)/.exec(specifier) ?? [];
    if (provided.includes(name))
      return `Could not resolve "${specifier}": of ${name} there is only the module itself`;
    return `Could not resolve "${specifier}"`;
  }

  function findOutside(specifier: string): string | undefined {
    if (provided.includes(specifier) || specifier.startsWith("cloudflare:")) return specifier;
    if (!isBuiltin(specifier)) return undefined;
    return specifier.startsWith("node:") ? specifier : `node:${specifier}`;
  }

  return {
    name: "app-modules",
    setup(build) {
      build.onResolve({ filter: /.*/ }, resolve);
      build.onLoad({ filter: /.*/, namespace: REQUIRED }, ({ path }) => ({
        contents: `import * as found from ${JSON.stringify(path)}; module.exports = found.default ?? found;`,
      }));
      build.onLoad({ filter: /.*/, namespace: EMPTY }, () => ({ contents: "" }));
      // Without a directory for them to be in, esbuild does not look for the source maps of packages.
      build.onLoad({ filter: /.*/, namespace: APP }, async ({ path }) => ({
        contents: await files.read(path.slice(1)),
        loader: LOADERS[path.slice(path.lastIndexOf(".") + 1)] ?? "js",
      }));
    },
  };
}

function inApp(path: string): OnResolveResult {
  return { path: `/${path}`, namespace: APP };
}

/** A text of esbuild's with the app's files by their paths alone. */
export function withoutNamespace(text: string): string {
  return text.replaceAll(/\bapp:\//g, "");
}
