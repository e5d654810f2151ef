import type { TsconfigRaw } from "esbuild-wasm";
import { ArchiveError } from "../../../../lib/archives/archive-error.ts";
import type { AppFiles } from "./app-files.ts";
import { directoryOf, joinPaths } from "./paths.ts";

/** Options that change the behaviour of the code. `target` only determines a default. */
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

const MAX_TSCONFIG_LENGTH = 64 * 1024;

/** An unterminated string or comment matches to the end of the file, which keeps the match linear. */
const TEXT_OR_COMMENT = /("(?:\\[\s\S]|[^"\\])*"?)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const TEXT_OR_TRAILING_COMMA = /("(?:\\[\s\S]|[^"\\])*"?)|,(?=\s*[}\]])/g;

/** For these targets, `class A { x = 1 }` assigns by default instead of defining. */
const BEFORE_CLASS_FIELDS = /^es(3|5|6|20(1[5-9]|2[01]))$/i;

const MAX_TSCONFIGS = 32;

type TsconfigFiles = Pick<AppFiles, "has" | "read">;

/** Reads tsconfig.json and the files that it extends by path. @throws ArchiveError if they are too large. */
export async function readCompilerOptions(files: TsconfigFiles): Promise<TsconfigRaw["compilerOptions"]> {
  const { target, ...options } = await readTsconfig(files, "tsconfig.json", new Map());
  return BEFORE_CLASS_FIELDS.test(String(target)) ? { useDefineForClassFields: false, ...options } : options;
}

/** @param known options by path; empty for a file in a cycle. */
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
    const basePath = joinPaths(directoryOf(path), base);
    inherited.push(await readTsconfig(files, files.has(basePath) ? basePath : `${basePath}.json`, known));
  }
  const all: Options = Object.assign({}, ...inherited, options);
  known.set(path, all);
  return all;
}

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
