import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { ROOT, TOOL_FOLDER } from "./paths.ts";

export interface StateDirectory {
  path: string;
  /** D1, R2 and Durable Object storage. */
  data: string;
  /** Wrangler's subfolder of `data`. */
  persistence: string;
  /** Recreated by each start: a copy of the build, or wrangler's configuration. */
  snapshot: string;
  config: string;
  apiKeyFile: string;
  lockFile: string;
}

export function openStateDirectory(environment: NodeJS.ProcessEnv): StateDirectory {
  const chosen = environment.BERTH_STATE_DIRECTORY;
  const path = chosen ? resolve(ROOT, chosen) : join(TOOL_FOLDER, "local");
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const snapshot = join(path, "snapshot");
  return {
    path,
    data: join(path, "data"),
    persistence: join(path, "data", "v3"),
    snapshot,
    config: join(snapshot, "wrangler.json"),
    apiKeyFile: join(path, "api-key"),
    lockFile: join(path, "service.json"),
  };
}
