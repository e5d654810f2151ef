/** The local runtime has no CPU limit: an endless loop would block the whole service. */
const LOOP_GUARD_MS = "200";

const LOCAL_SETTINGS = {
  LOOP_GUARD_MS,
  OWNS_ALL_BROWSERS: "true",
  BROWSER_LIST_LAG_SECONDS: "0",
  STANDBY_MINIMUM: "1",
};

/**
 * Returns the settings and secrets. The environment overrides .dev.vars, which overrides wrangler.toml.
 *
 * @param vars `[vars]` of wrangler.toml; only their names are read from the environment.
 */
export function workerBindings(
  vars: Readonly<Record<string, string>>,
  devVars: Readonly<Record<string, string | undefined>>,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const bindings: Record<string, string> = { ...vars, ...LOCAL_SETTINGS };
  const overrides = Object.keys(vars).map((name) => [name, environment[name]] as const);
  for (const [name, value] of [...Object.entries(devVars), ...overrides]) {
    if (value !== undefined) bindings[name] = value;
  }
  return bindings;
}
