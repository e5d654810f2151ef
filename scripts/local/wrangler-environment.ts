import { join } from "node:path";

/** How wrangler is run by every script here: no questions, no telemetry, nothing written outside `directory`. */
export function wranglerEnvironment(directory: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_LOG_PATH: join(directory, "logs"),
    // Services that run side by side must not find each other's Workers.
    WRANGLER_REGISTRY_PATH: join(directory, "registry"),
    // Else every start asks the network for a sample of `request.cf`, and warns where there is none.
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    // A page that shows the database to everybody, and a recorder of requests, whose URLs carry tokens.
    X_LOCAL_EXPLORER: "false",
    X_LOCAL_OBSERVABILITY: "false",
    // The configuration is a copy, made anew by each start.
    WRANGLER_CI_DISABLE_CONFIG_WATCHING: "true",
  };
}
