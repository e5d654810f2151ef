/** Bundles the functions that run in pages into a module of their sources; see src/page-scripts. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import { ROOT, TOOL_FOLDER } from "./local/paths.ts";

const FOLDER = join(ROOT, "src", "page-scripts");
const BUNDLED = join(FOLDER, "bundled.js");

/** Names of functions stay: stack traces in pages show them. */
const OPTIONS = {
  bundle: true,
  write: false,
  format: "esm",
  target: "es2024",
  charset: "utf8",
  minifyWhitespace: true,
  legalComments: "none",
} satisfies BuildOptions;

/** Leaves the module alone where it is up to date: `wrangler dev` reloads with each change of a file. */
export function buildPageScripts(): void {
  const text = exportedNames()
    .map((name) => `export const ${name} = ${JSON.stringify(toExpression(name))};\n`)
    .join("");
  if (existsSync(BUNDLED) && readFileSync(BUNDLED, "utf8") === text) return;
  mkdirSync(TOOL_FOLDER, { recursive: true });
  const draft = join(TOOL_FOLDER, `page-scripts.${process.pid}.js`);
  writeFileSync(draft, text);
  renameSync(draft, BUNDLED);
}

function exportedNames(): string[] {
  const { metafile } = buildSync({
    ...OPTIONS,
    entryPoints: [join(FOLDER, "bundle-entry.ts")],
    metafile: true,
  });
  return Object.values(metafile.outputs).flatMap((output) => output.exports);
}

/** An expression whose value is the function. esbuild's helpers, which a page could tamper with, stay out of it. */
function toExpression(name: string): string {
  const contents = `import { ${name} } from "./bundle-entry.ts"; exported = ${name};`;
  const { outputFiles } = buildSync({ ...OPTIONS, stdin: { contents, resolveDir: FOLDER } });
  const text = outputFiles.map((file) => file.text.trim()).join();
  if (/\b__(?!proto__)/.test(text)) throw new Error(`esbuild put a helper of its own into ${name}`);
  return `(()=>{let exported;${text}return exported})()`;
}
