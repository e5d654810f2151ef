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
  devVarNames: readonly string[];
}

/** Adapts wrangler.toml for `wrangler dev`. Paths become absolute because the result is in another folder. */
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
    // With required secrets, wrangler ignores all others, so the optional ones are added.
    secrets: { required: [...new Set([...config.secrets.required, ...secretNames])] },
  };
}

/** Arguments for settings in the environment. They override .dev.vars, too. */
export function overrideArguments(config: WranglerConfig, environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(config.vars).flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : ["--var", `${name}:${value}`];
  });
}

export function wranglerDevArguments(
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
