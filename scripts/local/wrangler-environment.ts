import { join } from "node:path";

/** Disables telemetry, and keeps logs and the registry in `directory`. */
export function wranglerEnvironment(directory: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_LOG_PATH: join(directory, "logs"),
    // Concurrent services must not find each other's Workers.
    WRANGLER_REGISTRY_PATH: join(directory, "registry"),
    // Otherwise every start downloads a sample of `request.cf`, and warns when offline.
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    // The explorer exposes the database, and the recorded requests have tokens in their URLs.
    X_LOCAL_EXPLORER: "false",
    X_LOCAL_OBSERVABILITY: "false",
  };
}
