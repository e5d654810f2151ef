/**
 * Makes what a start needs in its state folder (BERTH_STATE_DIRECTORY): wrangler's configuration, and the database
 * with the local organization and BERTH_API_KEY in it. `--reload`: the configuration is for the sources.
 *
 * A process of its own, because wrangler's library is large and takes over the signals of whoever loads it.
 */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { experimental_readRawConfig } from "wrangler";
import { prepareDatabase } from "./database.ts";
import { DEV_VARS } from "./dev-vars.ts";
import { ROOT } from "./paths.ts";
import { runScript, SetUpError } from "./set-up-error.ts";
import { openStateDirectory, type StateDirectory } from "./state-directory.ts";
import { localConfig, type WranglerConfig, wranglerConfigSchema } from "./wrangler-config.ts";

await runScript(async () => {
  const apiKey = process.env.BERTH_API_KEY;
  if (!apiKey) throw new SetUpError("prepare-state.ts needs BERTH_API_KEY.");
  const state = openStateDirectory(process.env);
  const config = writeLocalConfig(state, process.argv.includes("--reload"));
  await prepareDatabase(config, state, apiKey);
  return 0;
});

function writeLocalConfig(state: StateDirectory, reload: boolean): WranglerConfig {
  const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") });
  const config = localConfig(wranglerConfigSchema.parse(rawConfig), {
    root: ROOT,
    ...(reload ? {} : { bundle: state.bundle }),
    assets: state.assets,
    devVarNames: Object.keys(parseEnv(readFileSync(DEV_VARS, "utf8"))),
  });
  writeFileSync(state.config, JSON.stringify(config, null, 2));
  // wrangler reads the .dev.vars that lies beside its configuration.
  copyFileSync(DEV_VARS, join(state.snapshot, ".dev.vars"));
  return config;
}
