import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { ROOT, TOOL_FOLDER } from "./paths.ts";

/** The folder a local service lives in: its data, and what one start makes for itself. */
export interface StateDirectory {
  path: string;
  /** D1 rows, files and the objects' storage. */
  data: string;
  /** The folder in it that wrangler makes, and gives to the local runtime. */
  persistence: string;
  /** What one start runs: a copy of the build, or wrangler's configuration. */
  snapshot: string;
  config: string;
  apiKeyFile: string;
  lockFile: string;
}

/** BERTH_STATE_DIRECTORY, or the project's own; made when it is missing. */
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
