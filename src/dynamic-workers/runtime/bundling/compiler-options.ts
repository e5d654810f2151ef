import type { TsconfigRaw } from "esbuild-wasm";
import { ArchiveError } from "../../../archives/archive-error.ts";

/** Those that change what the code does. What a file is compiled to, and where to, is not the app's choice here. */
const OPTIONS = [
  "experimentalDecorators",
  "jsx",
  "jsxFactory",
  "jsxFragmentFactory",
  "jsxImportSource",
  "useDefineForClassFields",
  "verbatimModuleSyntax",
] as const;

/** In characters: nobody writes a longer one, and nothing else goes on while it is read. */
const LONGEST_TSCONFIG = 64 * 1024;

/**
 * What tells comments and trailing commas from what stands in texts. A text or comment that does not end goes on to the
 * end of the file: otherwise each quote and each slash would have it searched anew.
 */
const TEXT_OR_COMMENT = /("(?:\\[\s\S]|[^"\\])*"?)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const TEXT_OR_TRAILING_COMMA = /("(?:\\[\s\S]|[^"\\])*"?)|,(?=\s*[}\]])/g;

/**
 * What of an app's tsconfig.json is heeded; nothing where there is none, or it is no JSON.
 *
 * @throws ArchiveError when it is too long.
 */
export function readCompilerOptions(tsconfig = "{}"): TsconfigRaw["compilerOptions"] {
  if (tsconfig.length > LONGEST_TSCONFIG) {
    throw new ArchiveError(`tsconfig.json has more than ${LONGEST_TSCONFIG} characters`, "too_large");
  }
  const json = tsconfig
    .replaceAll(TEXT_OR_COMMENT, (_, text = "") => text)
    .replaceAll(TEXT_OR_TRAILING_COMMA, (_, text = "") => text);
  try {
    const { compilerOptions = {} }: { compilerOptions?: Record<string, never> } = JSON.parse(json);
    return Object.fromEntries(
      OPTIONS.filter((name) => name in compilerOptions).map((name) => [name, compilerOptions[name]]),
    );
  } catch {
    return {};
  }
}
