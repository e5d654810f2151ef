import { isBuiltin } from "node:module";
import { lookUp } from "durable-machine/look-up";
import type { OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from "esbuild-wasm";
import type { AppFiles } from "./app-files.ts";
import { isModuleByPackage, resolveModule } from "./module-resolution.ts";
import { directoryOf } from "./paths.ts";

const APP = "app";

/**
 * Marks files that are ECMAScript modules by their package's `type`. In a plugin, esbuild derives the interop
 * of `import x from` with CommonJS from the extension only.
 */
const ESM_SUFFIX = "//module.mjs";

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

/** @param provided packages that the runtime provides; they take precedence over the app's files. */
export function appModules(files: AppFiles, provided: readonly string[]): Plugin {
  const resolve = async (args: OnResolveArgs): Promise<OnResolveResult | undefined> => {
    if (args.kind === "entry-point") return toAppFile(files.realPath(args.path));
    const external = findExternal(args.path);
    if (external !== undefined) {
      // A virtual module turns `require` into an import, because there is no `require` at run time.
      const isRequired = args.kind === "require-call" && args.namespace !== REQUIRED;
      return isRequired ? { path: external, namespace: REQUIRED } : { path: external, external: true };
    }
    const found = await resolveModule(files, {
      specifier: args.path,
      directory: directoryOf(fileOf(args.importer)),
      isRequire: args.kind === "require-call" || args.kind === "require-resolve",
    });
    if (found === "empty") return { path: args.path, namespace: EMPTY };
    if (found !== undefined) return toAppFile(found.path);
    if (isOptional(args)) return { path: args.path, external: true };
    if (args.kind === "import-statement") return { errors: [{ text: describe(args.path) }] };
    // esbuild reports the error, unless the app catches it.
    return undefined;
  };

  async function toAppFile(path: string): Promise<OnResolveResult> {
    const ending = (await isModuleByPackage(files, path)) ? ESM_SUFFIX : "";
    return { path: `/${path}${ending}`, namespace: APP };
  }

  function isOptional({ kind, importer }: OnResolveArgs): boolean {
    return importer.includes("/node_modules/") && (kind === "require-call" || kind === "dynamic-import");
  }

  function describe(specifier: string): string {
    const [, name = specifier] = /^((?:@[^/]+\/)?[^/]+)/.exec(specifier) ?? [];
    if (provided.includes(name))
      return `Could not resolve "${specifier}": the service provides only the main module of ${name}`;
    return `Could not resolve "${specifier}"`;
  }

  function findExternal(specifier: string): string | undefined {
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
      // Without `resolveDir`, esbuild does not look for the source maps of packages.
      build.onLoad({ filter: /.*/, namespace: APP }, async (args) => {
        const path = fileOf(args.path);
        return {
          contents: await files.read(path),
          loader: lookUp(LOADERS, path.slice(path.lastIndexOf(".") + 1)) ?? "js",
        };
      });
    },
  };
}

function fileOf(path: string): string {
  return path.slice(1, path.endsWith(ESM_SUFFIX) ? -ESM_SUFFIX.length : undefined);
}

export function withoutNamespace(text: string): string {
  return text.replaceAll(/\bapp:\//g, "").replaceAll(ESM_SUFFIX, "");
}
