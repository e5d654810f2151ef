import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import type { Address } from "./address.ts";
import type { StateDirectory } from "./state-directory.ts";
import { LOOP_GUARD_MS } from "./worker-bindings.ts";

const databaseSchema = z.looseObject({
  binding: z.string(),
  database_name: z.string(),
  database_id: z.string(),
  migrations_dir: z.string().default("migrations"),
});

/** What the scripts need to know of a wrangler configuration; all the rest goes through untouched. */
export const wranglerConfigSchema = z.looseObject({
  name: z.string(),
  main: z.string(),
  compatibility_date: z.string(),
  vars: z.record(z.string(), z.unknown()).default({}),
  secrets: z.object({ required: z.array(z.string()) }).default({ required: [] }),
  assets: z.looseObject({ directory: z.string() }),
  d1_databases: z.tuple([databaseSchema]),
});

export type WranglerConfig = z.infer<typeof wranglerConfigSchema>;

export interface LocalConfigOptions {
  root: string;
  /** Names that .dev.vars sets. */
  devVarNames: readonly string[];
}

/** wrangler.toml as `wrangler dev` runs it here: every path is absolute, because the result lies elsewhere. */
export function localConfig(config: WranglerConfig, options: LocalConfigOptions): WranglerConfig {
  const { root, devVarNames } = options;
  const [database] = config.d1_databases;
  const secretNames = devVarNames.filter((name) => !(name in config.vars));
  return {
    ...config,
    main: resolve(root, config.main),
    assets: { ...config.assets, directory: resolve(root, config.assets.directory) },
    vars: { ...config.vars, LOOP_GUARD_MS },
    d1_databases: [{ ...database, migrations_dir: resolve(root, database.migrations_dir) }],
    // Once wrangler knows of required secrets, it passes on no other, and so drops the optional ones.
    secrets: { required: [...new Set([...config.secrets.required, ...secretNames])] },
  };
}

/** wrangler's arguments for the settings that the environment overrides; they win over .dev.vars as well. */
export function overrideArguments(config: WranglerConfig, environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(config.vars).flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : ["--var", `${name}:${value}`];
  });
}

/** How `wrangler dev` is called. */
export function reloadingArguments(
  state: StateDirectory,
  { host, port }: Address,
  environment: NodeJS.ProcessEnv,
): string[] {
  const config = wranglerConfigSchema.parse(JSON.parse(readFileSync(state.config, "utf8")));
  return [
    ...["dev", "--local", "--config", state.config, "--persist-to", state.data],
    ...["--ip", host, "--port", String(port), "--inspector-port", "0"],
    "--show-interactive-dev-session=false",
    ...overrideArguments(config, environment),
  ];
}
