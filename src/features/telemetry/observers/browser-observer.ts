import { cut } from "../../../lib/common/cut.ts";
import {
  type CDPSession,
  CDPSessionEvent,
  type TargetInfo,
  type TargetObserver,
} from "../../../platform/browser/index.ts";
import { redactURL } from "../redact.ts";
import { ConsoleWatcher } from "./console-watcher.ts";
import { InteractionWatcher } from "./interaction-watcher.ts";
import { NetworkWatcher } from "./network-watcher.ts";
import { type ObservedSession, ObservedTarget, type Watcher } from "./observed-target.ts";
import { PageWatcher } from "./page-watcher.ts";
import { Screenshots } from "./screenshots.ts";
import { Throttle } from "./throttle.ts";
import { WorkerErrorWatcher } from "./worker-error-watcher.ts";

const MAX_TITLE_LENGTH = 200;

const DOCUMENT_TYPES = ["page", "iframe"];

/**
 * Turns the DevTools events of a browser's pages, frames and workers into events of its session.
 *
 * @example
 * const observer = new BrowserObserver(session);
 * await RemoteBrowser.connect(env.BROWSER, browserId, { ...options, observer });
 */
export class BrowserObserver implements TargetObserver {
  readonly #observed: ObservedSession;
  readonly #watchers = new Map<CDPSession, Watcher[]>();
  /** Shared, because a page can open any number of pages, frames and workers. */
  readonly #throttles: { console: Throttle; network: Throttle };

  constructor(observed: ObservedSession) {
    this.#observed = observed;
    this.#throttles = {
      console: new Throttle((count) => observed.recordDropped("console", count)),
      network: new Throttle((count) => observed.recordDropped("network", count)),
    };
  }

  /** Frames in other processes have DevTools sessions of their own. */
  get observesFrames(): boolean {
    const { wants } = this;
    return this.observesWorkers || wants("page", "page_load") || wants("interaction", "interaction_click");
  }

  /** On request, because each worker then starts later. */
  get observesWorkers(): boolean {
    return this.wants("console", "console_log") || this.wants("network", "network_request");
  }

  observe(session: CDPSession, info: TargetInfo, options: { isNew: boolean; sharesRuntime: boolean }): void {
    const target = new ObservedTarget(this.#observed, { session, info, ...options });
    const isDocument = DOCUMENT_TYPES.includes(info.type);
    const watchers = [
      new ConsoleWatcher(target, this.#throttles.console),
      new NetworkWatcher(target, this.#throttles.network),
      ...(isDocument
        ? [
            new WorkerErrorWatcher(target, this.#throttles.console, () => this.observesWorkers),
            ...watchDocument(target, options),
          ]
        : []),
    ];
    this.#watchers.set(session, watchers);
    session.once(CDPSessionEvent.Disconnected, () => {
      this.#watchers.delete(session);
      for (const watcher of watchers) watcher.close();
      if (this.#watchers.size === 0) for (const throttle of Object.values(this.#throttles)) throttle.close();
    });
    void startWanted(watchers);
  }

  /** Applies a changed configuration. */
  async reconfigure(): Promise<void> {
    await Promise.all([...this.#watchers.values()].map(startWanted));
  }

  readonly wants: ObservedSession["wants"] = (category, type) => this.#observed.wants(category, type);
}

/** What only documents have. */
function watchDocument(target: ObservedTarget, { isNew }: { isNew: boolean }): Watcher[] {
  const screenshots = new Screenshots(target);
  target.session.once(CDPSessionEvent.Disconnected, () => screenshots.close());
  const page = new PageWatcher(target, () => screenshots.takeSoon());
  const { type, openerId, title, url } = target.info;
  if (isNew && type === "page") {
    target.record("page", "page_tab_opened", {
      event: "Target.attachedToTarget",
      data: { opener_id: openerId, title: cut(title, MAX_TITLE_LENGTH), url: redactURL(url) },
    });
  }
  if (isNew || type === "iframe") void page.findFirstNavigation();
  return [page, new InteractionWatcher(target, () => screenshots.takeSoon())];
}

async function startWanted(watchers: readonly Watcher[]): Promise<void> {
  await Promise.all(watchers.map((watcher) => (watcher.isWanted ? watcher.start() : watcher.stop())));
}
