import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { ROOT, TOOL_FOLDER } from "./paths.ts";

/** The folder a local service lives in: its data, and what one start makes for itself. */
export interface StateDirectory {
  path: string;
  /** D1 rows and the objects' storage. */
  data: string;
  /** What one start makes: wrangler's configuration, the bundle, the assets. */
  snapshot: string;
  config: string;
  bundleFolder: string;
  bundle: string;
  assets: string;
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
    snapshot,
    config: join(snapshot, "wrangler.json"),
    bundleFolder: join(snapshot, "worker"),
    bundle: join(snapshot, "worker", "index.js"),
    assets: join(snapshot, "assets"),
    apiKeyFile: join(path, "api-key"),
    lockFile: join(path, "service.json"),
  };
}
