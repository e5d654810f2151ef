import { join } from "node:path";
import { runCommand } from "./command.ts";
import { ROOT, WRANGLER } from "./paths.ts";
import type { StateDirectory } from "./state-directory.ts";
import { wranglerEnvironment } from "./wrangler-environment.ts";

/** Bundles the Worker as for a deployment. This copy is what runs, so that editing sources ends no session. */
export async function bundleWorker(state: StateDirectory, signal: AbortSignal): Promise<void> {
  const target = ["--config", join(ROOT, "wrangler.toml"), "--outdir", state.bundleFolder];
  await runCommand(process.execPath, [WRANGLER, "deploy", "--dry-run", ...target], {
    title: "Bundling the Worker",
    env: wranglerEnvironment(state.path),
    signal,
  });
}
