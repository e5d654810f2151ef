import { watch } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ROOT } from "./paths.ts";
import { prepareBuild } from "./service-build.ts";
import { errorText } from "./set-up-error.ts";
import { waitForAbort } from "./stop-request.ts";

const FOLDERS = ["src", "packages", "web", "docs"];

/** Editors write several files at once. */
const QUIET_MS = 100;

/**
 * Builds after each change of the sources. Prints why a build fails, and waits for the next change.
 *
 * @returns the folder of the first build that differs from the given one; undefined when the signal aborts.
 */
export async function waitForOtherBuild(build: string, signal: AbortSignal): Promise<string | undefined> {
  const aborted = waitForAbort(signal);
  // Sources may have changed while the given build was being made and started.
  let change = Promise.withResolvers<void>();
  change.resolve();
  const watchers = FOLDERS.map((folder) =>
    watch(join(ROOT, folder), { recursive: true }, () => change.resolve()),
  );
  try {
    for (;;) {
      await Promise.race([change.promise, aborted]);
      if (signal.aborted) return undefined;
      await setTimeout(QUIET_MS);
      change = Promise.withResolvers();
      const changed = await prepareBuild(signal).catch((error: unknown) => {
        if (!signal.aborted) console.error(errorText(error));
      });
      if (changed !== undefined && changed !== build) return changed;
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}
