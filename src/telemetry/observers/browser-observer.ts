import {
  type CDPSession,
  CDPSessionEvent,
  type TargetInfo,
  type TargetObserver,
} from "../../browser/index.ts";
import { cut } from "../../common/cut.ts";
import { redactURL } from "../redact.ts";
import { ConsoleWatcher } from "./console-watcher.ts";
import { InteractionWatcher } from "./interaction-watcher.ts";
import { NetworkWatcher } from "./network-watcher.ts";
import { type ObservedSession, ObservedTarget, type Watcher } from "./observed-target.ts";
import { PageWatcher } from "./page-watcher.ts";
import { Screenshots } from "./screenshots.ts";

const MAX_TITLE_LENGTH = 200;

/**
 * Turns the DevTools events of a browser's pages and frames into events of its session.
 *
 * @example
 * const observer = new BrowserObserver(session);
 * await RemoteBrowser.connect(env.BROWSER, browserId, { ...options, observer });
 */
export class BrowserObserver implements TargetObserver {
  readonly #observed: ObservedSession;
  readonly #watchers = new Map<CDPSession, Watcher[]>();

  constructor(observed: ObservedSession) {
    this.#observed = observed;
  }

  /** Frames in other processes have DevTools sessions of their own. */
  get observesFrames(): boolean {
    const { wants } = this;
    return (
      wants("console", "console_log") ||
      wants("network", "network_request") ||
      wants("page", "page_load") ||
      wants("interaction", "interaction_click")
    );
  }

  observe(session: CDPSession, info: TargetInfo, options: { isNew: boolean; sharesRuntime: boolean }): void {
    const target = new ObservedTarget(this.#observed, { session, info, ...options });
    const screenshots = new Screenshots(target);
    const page = new PageWatcher(target, () => screenshots.takeSoon());
    const watchers = [
      new ConsoleWatcher(target),
      new NetworkWatcher(target),
      page,
      new InteractionWatcher(target, () => screenshots.takeSoon()),
    ];
    this.#watchers.set(session, watchers);
    session.once(CDPSessionEvent.Disconnected, () => {
      this.#watchers.delete(session);
      screenshots.close();
      for (const watcher of watchers) watcher.close();
    });
    if (options.isNew && info.type === "page") {
      const { openerId, title, url } = info;
      target.record("page", "page_tab_opened", {
        event: "Target.attachedToTarget",
        data: { opener_id: openerId, title: cut(title, MAX_TITLE_LENGTH), url: redactURL(url) },
      });
    }
    if (options.isNew) void page.findFirstNavigation();
    void startWanted(watchers);
  }

  /** Applies a changed configuration. */
  async reconfigure(): Promise<void> {
    await Promise.all([...this.#watchers.values()].map(startWanted));
  }

  readonly wants: ObservedSession["wants"] = (category, type) => this.#observed.wants(category, type);
}

async function startWanted(watchers: readonly Watcher[]): Promise<void> {
  await Promise.all(watchers.map((watcher) => (watcher.isWanted ? watcher.start() : watcher.stop())));
}
