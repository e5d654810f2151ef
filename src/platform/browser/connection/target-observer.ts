import type { TargetInfo } from "./attached-targets.ts";
import type { CDPSession } from "./puppeteer.ts";

/** Watches the pages, frames and workers of a browser. */
export interface TargetObserver {
  /** Whether frames in other processes are to be observed too. */
  readonly observesFrames: boolean;
  /** Whether workers are to be observed too. Implies frames, which have workers of their own. */
  readonly observesWorkers: boolean;
  /**
   * Called once per target, before it starts. Must not throw.
   *
   * @param options.isNew false for targets that existed before Berth connected.
   * @param options.sharesRuntime whether something else needs the Runtime domain of this DevTools session.
   */
  observe(session: CDPSession, target: TargetInfo, options: { isNew: boolean; sharesRuntime: boolean }): void;
}
