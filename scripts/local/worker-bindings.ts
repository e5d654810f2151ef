/** The local runtime ends no code by itself: a loop without an end would stop the whole service. */
export const LOOP_GUARD_MS = "200";

/** Settings that fit a runtime whose browsers are all this service's, and whose list of them is never late. */
const OF_LOCAL_RUNTIME = { LOOP_GUARD_MS, OWNS_ALL_BROWSERS: "true", BROWSER_LIST_LAG_SECONDS: "0" };

/**
 * The settings and secrets of a local service. The environment wins over .dev.vars, and that over wrangler.toml.
 *
 * @param vars `[vars]` of wrangler.toml; only these are taken from the environment.
 */
export function workerBindings(
  vars: Readonly<Record<string, string>>,
  devVars: Readonly<Record<string, string | undefined>>,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const bindings: Record<string, string> = { ...vars, ...OF_LOCAL_RUNTIME };
  const overrides = Object.keys(vars).map((name) => [name, environment[name]] as const);
  for (const [name, value] of [...Object.entries(devVars), ...overrides]) {
    if (value !== undefined) bindings[name] = value;
  }
  return bindings;
}
