import { closeBrowser } from "../../browser/binding.ts";
import { allDone } from "../../common/concurrency.ts";
import { openDatabase } from "../../database/client.ts";
import type { SessionBrowser } from "../connections/browser.ts";
import type { SessionConnections } from "../connections/connections.ts";
import type { SessionRecord, SessionStart } from "../record.ts";
import { removeUnstartedSession } from "../store.ts";
import type { Furnishing, SessionContext } from "./context.ts";
import { forgetLaunchedBrowser, recordLaunchedBrowser } from "./launched-browsers.ts";
import { obtainBrowser } from "./obtain-browser.ts";

interface SessionLaunchOptions {
  env: Env;
  connections: () => SessionConnections;
  context: SessionContext;
  writeRecord: (record: SessionRecord) => void;
}

/** Gets a starting session its browser, and takes back what a start has done that failed. */
export class SessionLaunch {
  readonly #options: SessionLaunchOptions;

  constructor(options: SessionLaunchOptions) {
    this.#options = options;
  }

  /**
   * Gets a browser and makes it ready for its first client. The record names it from the first moment on, so that
   * whoever takes a start back finds it.
   *
   * @param launchedAt when the start began, in milliseconds since the epoch.
   * @returns its id.
   */
  async launch(start: SessionStart, launchedAt: number): Promise<string> {
    const { env, connections, context, writeRecord } = this.#options;
    const { browser } = connections();
    // Before a browser is launched that would not be used.
    const furnishing = await context.read(start);
    return obtainBrowser(env, {
      // Those are for callers who wait; nobody waits for a pool to be filled.
      mayStandBy: start.pool === undefined,
      makeReady: async (browserId) => {
        writeRecord({ ...start, phase: "starting", browserId });
        await allDone([
          recordLaunchedBrowser(openDatabase(env.DB), { browserId, sessionId: start.id, launchedAt }),
          this.#prepare(browser, furnishing),
        ]);
      },
      close: async (browserId) => {
        browser.disconnect();
        await closeLaunchedBrowser(env, browserId);
        writeRecord({ ...start, phase: "starting" });
      },
    });
  }

  async #prepare(browser: SessionBrowser, furnishing: Furnishing): Promise<void> {
    const connected = await browser.connect();
    await this.#options.context.furnish(connected, furnishing);
    await connected.prepareForFirstClient();
  }

  /** Takes back whatever a start has done so far. @throws when a part of it fails. */
  async undo({ id, browserId }: SessionRecord): Promise<void> {
    const { env } = this.#options;
    await allDone([
      browserId === undefined ? Promise.resolve() : closeLaunchedBrowser(env, browserId),
      removeUnstartedSession(openDatabase(env.DB), id),
    ]);
  }
}

/** Closes a browser of Berth's own. One that is gone already is fine. */
export async function closeLaunchedBrowser(env: Env, browserId: string): Promise<void> {
  await closeBrowser(env.BROWSER, browserId);
  await forgetLaunchedBrowser(openDatabase(env.DB), browserId);
}
