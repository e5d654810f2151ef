/** Writes the `[vars]` of wrangler.toml to src/lib/common/setting-defaults.ts. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { experimental_readRawConfig } from "wrangler";
import { z } from "zod";
import { readSwitches } from "./local/options.ts";
import { ROOT } from "./local/paths.ts";
import { runScript, SetUpError } from "./local/set-up-error.ts";

const USAGE = `Writes the defaults of settings to src/lib/common/setting-defaults.ts.

  npm run settings:generate
  npm run settings:generate -- --check   fails if it is out of date`;

const FILE = join(ROOT, "src", "lib", "common", "setting-defaults.ts");

const configSchema = z.looseObject({ vars: z.record(z.string(), z.string()) });

await runScript(async () => {
  const isCheck = readSwitches(USAGE, ["check"]).has("check");
  const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") });
  const { vars } = configSchema.parse(rawConfig);
  const text = [
    "/** The `[vars]` of wrangler.toml, which operators may change. `npm run settings:generate` writes this file. */",
    "export const SETTING_DEFAULTS: Readonly<Record<string, string | undefined>> = {",
    ...Object.entries(vars).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`),
    "};",
    "",
  ].join("\n");
  if (isCheck && readFileSync(FILE, "utf8") !== text)
    throw new SetUpError(`${FILE} is out of date: run \`npm run settings:generate\`.`);
  writeFileSync(FILE, text);
  return 0;
});
