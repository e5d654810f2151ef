import type { TsconfigRaw } from "esbuild-wasm";

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

/** What tells comments and trailing commas from what stands in texts. */
const TEXT_OR_COMMENT = /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const TEXT_OR_TRAILING_COMMA = /("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g;

/** What of an app's tsconfig.json is heeded; nothing where there is none, or it cannot be read. */
export function readCompilerOptions(tsconfig = "{}"): TsconfigRaw["compilerOptions"] {
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
