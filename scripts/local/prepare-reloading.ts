/**
 * Prepares the state folder for `wrangler dev`: its configuration, and the database with the local organization.
 *
 * Runs in a separate process because wrangler's library is large and installs signal handlers.
 */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { experimental_readRawConfig } from "wrangler";
import { prepareDatabase } from "./database.ts";
import { DEV_VARS } from "./dev-vars.ts";
import { ROOT } from "./paths.ts";
import { runScript, SetUpError } from "./set-up-error.ts";
import { openStateDirectory } from "./state-directory.ts";
import { localConfig, wranglerConfigSchema } from "./wrangler-config.ts";

await runScript(async () => {
  const apiKey = process.env.BERTH_API_KEY;
  if (!apiKey) throw new SetUpError("prepare-reloading.ts needs BERTH_API_KEY.");
  const state = openStateDirectory(process.env);
  const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") });
  const config = localConfig(wranglerConfigSchema.parse(rawConfig), {
    root: ROOT,
    devVarNames: Object.keys(parseEnv(readFileSync(DEV_VARS, "utf8"))),
  });
  writeFileSync(state.config, JSON.stringify(config, null, 2));
  // wrangler reads .dev.vars from the folder of its configuration.
  copyFileSync(DEV_VARS, join(state.snapshot, ".dev.vars"));
  const [{ database_id }] = config.d1_databases;
  await prepareDatabase({ worker: config.name, id: database_id, data: state.persistence }, apiKey);
  return 0;
});
