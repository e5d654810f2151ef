/** The local runtime ends no code by itself: a loop without an end would stop the whole service. */
export const LOOP_GUARD_SECONDS = "2";

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
  const bindings: Record<string, string> = { ...vars, LOOP_GUARD_SECONDS, OWNS_ALL_BROWSERS: "true" };
  const overrides = Object.keys(vars).map((name) => [name, environment[name]] as const);
  for (const [name, value] of [...Object.entries(devVars), ...overrides]) {
    if (value !== undefined) bindings[name] = value;
  }
  return bindings;
}
