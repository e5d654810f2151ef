import { isBuiltin } from "node:module";
import type { OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from "esbuild-wasm";
import type { AppFiles } from "./app-files.ts";
import { isModuleByPackage, resolveModule } from "./module-resolution.ts";
import { directoryOf } from "./paths.ts";

/** The app's files: paths begin with a slash, by which esbuild tells packages from the app. */
const APP = "app";

/**
 * Behind the paths of files that are ECMAScript modules because their package says so. By the ending of its path esbuild
 * knows what a module's `import x from` means for CommonJS; by its package only where it looks for that itself. No file
 * has such a path.
 */
const MODULE_ENDING = "//module.mjs";

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
    if (args.kind === "entry-point") return inApp(files.realPath(args.path));
    const outside = findOutside(args.path);
    if (outside !== undefined) {
      // A module of its own makes an import of what `require` would have to find at run time.
      const isRequired = args.kind === "require-call" && args.namespace !== REQUIRED;
      return isRequired ? { path: outside, namespace: REQUIRED } : { path: outside, external: true };
    }
    const found = await resolveModule(files, {
      specifier: args.path,
      directory: directoryOf(fileOf(args.importer)),
      isRequire: args.kind === "require-call" || args.kind === "require-resolve",
    });
    if (found === "empty") return { path: args.path, namespace: EMPTY };
    if (found !== undefined) return inApp(found.path);
    if (mayBeMissing(args)) return { path: args.path, external: true };
    if (args.kind === "import-statement") return { errors: [{ text: describe(args.path) }] };
    // esbuild finds none either, and knows whether the app catches what that throws.
    return undefined;
  };

  async function inApp(path: string): Promise<OnResolveResult> {
    const ending = (await isModuleByPackage(files, path)) ? MODULE_ENDING : "";
    return { path: `/${path}${ending}`, namespace: APP };
  }

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
      build.onLoad({ filter: /.*/, namespace: APP }, async (args) => {
        const path = fileOf(args.path);
        return {
          contents: await files.read(path),
          loader: LOADERS[path.slice(path.lastIndexOf(".") + 1)] ?? "js",
        };
      });
    },
  };
}

/** What esbuild knows by a path, by its own. */
function fileOf(path: string): string {
  return path.slice(1, path.endsWith(MODULE_ENDING) ? -MODULE_ENDING.length : undefined);
}

/** A text of esbuild's with the app's files by their paths alone. */
export function withoutNamespace(text: string): string {
  return text.replaceAll(/\bapp:\//g, "").replaceAll(MODULE_ENDING, "");
}
