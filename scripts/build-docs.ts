/**
 * Builds the documentation site, which the service serves at /docs: the pages of docs/, with the tables of settings
 * and of D1, and the API reference.
 *
 *   node scripts/build-docs.ts [folder]
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { build } from "vitepress";
import { apiPages } from "./docs/api-pages.ts";
import { readOpenAPIDocument } from "./docs/openapi.ts";
import { readSDKMethods } from "./docs/sdk-samples.ts";
import { settingsTable } from "./docs/settings-table.ts";
import { storageTables } from "./docs/storage-tables.ts";
import { ROOT, TOOL_FOLDER } from "./local/paths.ts";

const BUILDS = join(TOOL_FOLDER, "docs");

/** A copy of docs/ with the generated pages. */
const PAGES = join(BUILDS, `pages.${process.pid}`);

const [target = join(TOOL_FOLDER, "assets", "docs")] = process.argv.slice(2);
try {
  await preparePages();
  cpSync(await buildSite(), target, { recursive: true });
} finally {
  rmSync(PAGES, { recursive: true, force: true });
}

async function preparePages(): Promise<void> {
  cpSync(join(ROOT, "docs"), PAGES, { recursive: true });
  mkdirSync(join(PAGES, "api"));
  const sdkMethods = readSDKMethods(readFileSync(join(ROOT, "docs", "compatibility.md"), "utf8"));
  for (const { name, markdown } of apiPages(await readOpenAPIDocument(), sdkMethods)) {
    writeFileSync(join(PAGES, "api", `${name}.md`), markdown);
  }
  fill("settings.md", "<!-- settings -->", settingsTable());
  fill("storage-schema.md", "<!-- tables -->", await storageTables());
}

function fill(page: string, marker: string, markdown: string): void {
  const path = join(PAGES, page);
  const [before, after, ...others] = readFileSync(path, "utf8").split(marker);
  if (before === undefined || after === undefined || others.length > 0) {
    throw new Error(`${page} does not contain ${marker} once`);
  }
  writeFileSync(path, `${before}${markdown}${after}`);
}

/** @returns the folder of the site, built only if its sources have changed. */
async function buildSite(): Promise<string> {
  const folder = join(BUILDS, hashPages());
  if (existsSync(folder)) return folder;
  const built = join(PAGES, "site");
  await build(PAGES, { outDir: built });
  addMarkdown(built);
  for (const name of globSync("[0-9a-f]*", { cwd: BUILDS })) {
    rmSync(join(BUILDS, name), { recursive: true, force: true });
  }
  renameSync(built, folder);
  return folder;
}

/** Adds the pages as Markdown, and an index of them in the format of llmstxt.org, for coding agents. */
function addMarkdown(folder: string): void {
  const index = ["# Berth", "", "> Cloud browser sessions on your own Cloudflare account."];
  for (const [heading, pattern] of [
    ["Guide", "*.md"],
    ["Recipes", "recipes/*.md"],
    ["API reference", "api/*.md"],
  ] as const) {
    index.push("", `## ${heading}`, "");
    for (const name of globSync(pattern, { cwd: PAGES }).sort()) {
      const markdown = readFileSync(join(PAGES, name), "utf8");
      const title = /^# (.+)$/m.exec(markdown)?.[1];
      // The home page has a layout instead of text.
      if (title === undefined) continue;
      writeFileSync(join(folder, name), markdown);
      const description = /^description: "?(.+?)"?$/m.exec(markdown)?.[1];
      index.push(`- [${title}](/docs/${name})${description === undefined ? "" : `: ${description}`}`);
    }
  }
  writeFileSync(join(folder, "llms.txt"), [...index, ""].join("\n"));
}

function hashPages(): string {
  const hash = createHash("sha256").update(readFileSync(join(ROOT, "package-lock.json")));
  const entries = globSync(["**/*", ".vitepress/**/*"], { cwd: PAGES, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of [...new Set(files)].sort()) {
    hash.update(file.slice(PAGES.length)).update("\0").update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}
