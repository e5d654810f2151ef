import { resolve } from "node:path";
import { z } from "zod";

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
  /** The bundled Worker; absent: wrangler bundles the sources and watches them. */
  bundle?: string;
  assets: string;
  /** Names that .dev.vars sets. */
  devVarNames: readonly string[];
}

/** The local runtime ends no code by itself: a loop without an end would stop the whole service. */
const LOOP_GUARD_SECONDS = "2";

/**
 * wrangler.toml as a local service runs it: every path absolute, because the result lies elsewhere, and, unless
 * it reloads, a bundle in the place of the sources.
 */
export function localConfig(config: WranglerConfig, options: LocalConfigOptions): WranglerConfig {
  const { root, bundle, assets, devVarNames } = options;
  const [database] = config.d1_databases;
  const secretNames = devVarNames.filter((name) => !(name in config.vars));
  return {
    ...config,
    main: bundle ?? resolve(root, config.main),
    no_bundle: bundle !== undefined,
    assets: { ...config.assets, directory: assets },
    vars: { ...config.vars, LOOP_GUARD_SECONDS },
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
