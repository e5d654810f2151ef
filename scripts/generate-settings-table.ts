/**
 * Writes the table of docs/settings.md from src/lib/common/settings-schema.ts and the defaults in wrangler.toml,
 * and these defaults to src/lib/common/setting-defaults.ts.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { experimental_readRawConfig } from "wrangler";
import { z } from "zod";
import { SETTINGS } from "../src/lib/common/settings-schema.ts";
import { readSwitches } from "./local/options.ts";
import { ROOT } from "./local/paths.ts";
import { runScript, SetUpError } from "./local/set-up-error.ts";

const USAGE = `Writes the table of docs/settings.md, and src/lib/common/setting-defaults.ts.

  npm run docs:settings
  npm run docs:settings -- --check   fails if one of them is out of date`;

const PAGE = "docs/settings.md";
const DEFAULTS = "src/lib/common/setting-defaults.ts";

/** The part of the page that this script writes. */
const GENERATED = /(?<=<!-- settings:start -->\n)[\s\S]*(?=<!-- settings:end -->)/;

const configSchema = z.looseObject({ vars: z.record(z.string(), z.string()) });

await runScript(async () => {
  const isCheck = readSwitches(USAGE, ["check"]).has("check");
  const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") });
  const { vars } = configSchema.parse(rawConfig);
  update(PAGE, isCheck, (page) => page.replace(GENERATED, () => `\n${table(vars)}\n`));
  update(DEFAULTS, isCheck, () => defaultsModule(vars));
  return 0;
});

function update(file: string, isCheck: boolean, change: (before: string) => string): void {
  const path = join(ROOT, file);
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const after = change(before);
  if (isCheck && after !== before)
    throw new SetUpError(`${file} is out of date: run \`npm run docs:settings\`.`);
  writeFileSync(path, after);
}

function defaultsModule(defaults: Record<string, string>): string {
  const lines = Object.entries(defaults).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`);
  return [
    "/** The `[vars]` of wrangler.toml, which operators may change. `npm run docs:settings` writes this file. */",
    "export const SETTING_DEFAULTS: Readonly<Record<string, string | undefined>> = {",
    ...lines,
    "};",
    "",
  ].join("\n");
}

/** Settings without a default are secrets, which docs/deploy.md describes. */
function table(defaults: Record<string, string>): string {
  const rows = Object.entries(SETTINGS).flatMap(([name, schema]) => {
    const value = defaults[name];
    if (value === undefined) return [];
    if (schema.description === undefined) throw new SetUpError(`${name} has no description`);
    const range = rangeOf(schema);
    const description = range === "" ? schema.description : `${schema.description} ${range}`;
    return `| \`${name}\` | ${value === "" ? "empty" : `\`${value}\``} | ${description} |`;
  });
  return `${["| Setting | Default | Meaning |", "|---|---|---|", ...rows].join("\n")}\n`;
}

function rangeOf(schema: z.ZodType): string {
  const { minimum, maximum } = z
    .object({ minimum: z.number(), maximum: z.number() })
    .partial()
    .parse(schema.meta() ?? {});
  if (minimum === undefined || (minimum <= 1 && maximum === undefined)) return "";
  return maximum === undefined ? `At least ${minimum}.` : `${minimum} to ${maximum}.`;
}
