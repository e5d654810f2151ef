import type { TsconfigRaw } from "esbuild-wasm";
import { ArchiveError } from "../../../archives/archive-error.ts";
import type { AppFiles } from "./app-files.ts";
import { directoryOf, joinPaths } from "./paths.ts";

/**
 * Those that change what the code does. What a file is compiled to, and where to, is not the app's choice here: of
 * `target` only a default follows.
 */
const OPTIONS = [
  "experimentalDecorators",
  "jsx",
  "jsxFactory",
  "jsxFragmentFactory",
  "jsxImportSource",
  "target",
  "useDefineForClassFields",
  "verbatimModuleSyntax",
] as const;

type Options = Partial<Record<(typeof OPTIONS)[number], never>>;

interface Tsconfig {
  extends?: string | string[];
  compilerOptions?: Options;
}

/** In characters: nobody writes a longer one, and nothing else goes on while it is read. */
const MAX_TSCONFIG_LENGTH = 64 * 1024;

/**
 * What tells comments and trailing commas from what stands in texts. A text or comment that does not end goes on to the
 * end of the file: otherwise each quote and each slash would have it searched anew.
 */
const TEXT_OR_COMMENT = /("(?:\\[\s\S]|[^"\\])*"?)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const TEXT_OR_TRAILING_COMMA = /("(?:\\[\s\S]|[^"\\])*"?)|,(?=\s*[}\]])/g;

/** Up to ES2021, assigning is what `class A { x = 1 }` does; TypeScript then keeps to that by default. */
const BEFORE_CLASS_FIELDS = /^es(3|5|6|20(1[5-9]|2[01]))$/i;

/** Of all that a tsconfig.json extends. */
const MAX_TSCONFIGS = 32;

type TsconfigFiles = Pick<AppFiles, "has" | "read">;

/**
 * What of an app's tsconfig.json, and of the files that it extends by their paths, is heeded; nothing where there is
 * none, or it is no JSON.
 *
 * @throws ArchiveError when one is too long, or they are too many.
 */
export async function readCompilerOptions(files: TsconfigFiles): Promise<TsconfigRaw["compilerOptions"]> {
  const { target, ...options } = await readTsconfig(files, "tsconfig.json", new Map());
  // esbuild would warn of targets that it does not know.
  return BEFORE_CLASS_FIELDS.test(String(target)) ? { useDefineForClassFields: false, ...options } : options;
}

/** @param known options of the files that are read already; nothing of those that lead back to themselves. */
async function readTsconfig(
  files: TsconfigFiles,
  path: string,
  known: Map<string, Options>,
): Promise<Options> {
  const found = known.get(path);
  if (found !== undefined) return found;
  if (known.size === MAX_TSCONFIGS) {
    throw new ArchiveError(`tsconfig.json extends ${MAX_TSCONFIGS} files or more`, "too_large");
  }
  known.set(path, {});
  const { bases, options } = parse(path, (await files.read(path)) ?? "{}");
  const inherited: Options[] = [];
  for (const base of bases) {
    const wanted = joinPaths(directoryOf(path), base);
    inherited.push(await readTsconfig(files, files.has(wanted) ? wanted : `${wanted}.json`, known));
  }
  const all: Options = Object.assign({}, ...inherited, options);
  known.set(path, all);
  return all;
}

/** @returns bases: the paths that it extends, the last of which has the last word. */
function parse(path: string, tsconfig: string): { bases: string[]; options: Options } {
  if (tsconfig.length > MAX_TSCONFIG_LENGTH) {
    throw new ArchiveError(`${path} has more than ${MAX_TSCONFIG_LENGTH} characters`, "too_large");
  }
  const json = tsconfig
    .replaceAll(TEXT_OR_COMMENT, (_, text = "") => text)
    .replaceAll(TEXT_OR_TRAILING_COMMA, (_, text = "") => text);
  try {
    const { extends: bases = [], compilerOptions = {} }: Tsconfig = JSON.parse(json);
    return {
      bases: [bases].flat().filter((base) => typeof base === "string" && /^\.\.?\//.test(base)),
      options: Object.fromEntries(
        OPTIONS.filter((name) => name in compilerOptions).map((name) => [name, compilerOptions[name]]),
      ),
    };
  } catch {
    return { bases: [], options: {} };
  }
}
