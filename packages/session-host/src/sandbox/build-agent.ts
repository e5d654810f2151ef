import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

/**
 * Writes the agent without types to a folder. Otherwise each sandbox's Node would load a compiler to do it, which
 * takes 80 ms and 28 MB.
 *
 *   build-agent.ts <folder>
 */
const AGENT = join(import.meta.dirname, "..", "agent");
const [, , folder = ""] = process.argv;

for (const name of readdirSync(AGENT)) {
  const script = stripTypeScriptTypes(readFileSync(join(AGENT, name), "utf8"));
  const withNewNames = script.replace(/(from "\.\/[\w-]+)\.ts"/g, '$1.mjs"');
  writeFileSync(join(folder, name.replace(/ts$/, "mjs")), withNewNames);
}
