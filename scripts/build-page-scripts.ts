/** Bundles the functions of src/platform/page-scripts, which run in pages, into a module of their sources. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import { ROOT, TOOL_FOLDER } from "./local/paths.ts";

const FOLDER = join(ROOT, "src", "platform", "page-scripts");
const BUNDLED = join(FOLDER, "bundled.js");

/** Identifiers are not minified, because stack traces in pages show function names. */
const OPTIONS = {
  bundle: true,
  write: false,
  format: "esm",
  target: "es2024",
  charset: "utf8",
  minifyWhitespace: true,
  legalComments: "none",
} satisfies BuildOptions;

/** Writes the module only when it has changed, because `npm run dev` builds after every write. */
export function buildPageScripts(): void {
  const text = exportedNames()
    .map((name) => `export const ${name} = ${JSON.stringify(toExpression(name))};\n`)
    .join("");
  if (existsSync(BUNDLED) && readFileSync(BUNDLED, "utf8") === text) return;
  mkdirSync(TOOL_FOLDER, { recursive: true });
  const temporaryFile = join(TOOL_FOLDER, `page-scripts.${process.pid}.js`);
  writeFileSync(temporaryFile, text);
  renameSync(temporaryFile, BUNDLED);
}

function exportedNames(): string[] {
  const { metafile } = buildSync({
    ...OPTIONS,
    entryPoints: [join(FOLDER, "bundle-entry.ts")],
    metafile: true,
  });
  return Object.values(metafile.outputs).flatMap((output) => output.exports);
}

/** The expression evaluates to the function, without esbuild's helpers, which a page could tamper with. */
function toExpression(name: string): string {
  const contents = `import { ${name} } from "./bundle-entry.ts"; exported = ${name};`;
  const { outputFiles } = buildSync({ ...OPTIONS, stdin: { contents, resolveDir: FOLDER } });
  const text = outputFiles.map((file) => file.text.trim()).join();
  if (/\b__(?!proto__)/.test(text)) throw new Error(`esbuild added a helper to ${name}`);
  return `(()=>{let exported;${text}return exported})()`;
}
