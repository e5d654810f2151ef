import type { Protocol } from "devtools-protocol";
import { cut } from "../../../lib/common/cut.ts";
import { redactURL } from "../redact.ts";
import type { ObservedTarget, Watcher } from "./observed-target.ts";
import { Throttle } from "./throttle.ts";

/** A page has settled when its layout has not shifted for this long after it loaded. */
const SETTLE_MS = 1000;

const MAX_MESSAGE_LENGTH = 2000;
const MAX_NAME_LENGTH = 200;

/** Observes navigation, loading, downloads, dialogs, crashes, layout. Its owner enables the Page domain. */
export class PageWatcher implements Watcher {
  readonly #target: ObservedTarget;
  readonly #onSettled: () => void;
  readonly #throttle: Throttle;
  #hasTimeline = false;
  #settleTimer: number | null = null;

  /** @param onSettled is called when a page has loaded and its layout is stable. */
  constructor(target: ObservedTarget, onSettled: () => void) {
    this.#target = target;
    this.#onSettled = onSettled;
    this.#throttle = new Throttle((count) => target.observed.recordDropped("page", count));
    const { session } = target;
    session.on("Page.frameNavigated", ({ frame }) => this.#handleNavigation(frame));
    session.on("Page.navigatedWithinDocument", ({ frameId, url }) => {
      if (!target.wants("page", "page_load")) return;
      this.#record(
        "page_navigation",
        "Page.navigatedWithinDocument",
        { url: redactURL(url) },
        { frameId, url },
      );
    });
    session.on("Page.domContentEventFired", ({ timestamp }) => {
      this.#record("page_dom_content_loaded", "Page.domContentEventFired", { cdp_timestamp: timestamp });
    });
    session.on("Page.loadEventFired", ({ timestamp }) => {
      this.#record("page_load", "Page.loadEventFired", { cdp_timestamp: timestamp });
      this.#settleLater();
    });
    session.on("Page.javascriptDialogOpening", ({ type, message, url }) => {
      const data = { kind: type, message: cut(message, MAX_MESSAGE_LENGTH) };
      this.#record("page_dialog", "Page.javascriptDialogOpening", data, { url });
    });
    session.on("Page.downloadWillBegin", ({ frameId, url, suggestedFilename }) => {
      const data = { download_url: redactURL(url), filename: cut(suggestedFilename, MAX_NAME_LENGTH) };
      this.#record("page_download", "Page.downloadWillBegin", data, { frameId });
    });
    session.on("Inspector.targetCrashed", () => {
      target.record("system", "page_crashed", { event: "Inspector.targetCrashed" });
    });
    session.on("PerformanceTimeline.timelineEventAdded", ({ event }) => this.#handleTimeline(event));
  }

  /** A client may navigate a new page before the Page domain is enabled, which reports nothing then. */
  async findFirstNavigation(): Promise<void> {
    const { session, url } = this.#target;
    try {
      await session.send("Page.enable");
      const { frameTree } = await session.send("Page.getFrameTree");
      const isMissed = this.#target.navigations === 0 && frameTree.frame.url !== url;
      if (isMissed) this.#handleNavigation(frameTree.frame);
    } catch {
      // The page is gone.
    }
  }

  /** Only the timeline has to be switched on. */
  get isWanted(): boolean {
    return this.#target.wants("page", "page_lcp");
  }

  async start(): Promise<void> {
    if (this.#hasTimeline) return;
    this.#hasTimeline = true;
    await this.#setTimeline(["largest-contentful-paint", "layout-shift"]);
  }

  async stop(): Promise<void> {
    if (!this.#hasTimeline) return;
    this.#hasTimeline = false;
    await this.#setTimeline([]);
  }

  close(): void {
    clearTimeout(this.#settleTimer);
    this.#throttle.close();
  }

  async #setTimeline(eventTypes: string[]): Promise<void> {
    const { session } = this.#target;
    await this.#target.trySend(session.send("PerformanceTimeline.enable", { eventTypes }));
  }

  #handleNavigation({ id, parentId, loaderId, url }: Protocol.Page.Frame): void {
    const isMain = parentId === undefined;
    // A frame in another process is the root of its target.
    if (isMain || id === this.#target.info.targetId) {
      clearTimeout(this.#settleTimer);
      this.#target.navigate(url, loaderId);
    }
    if (!isMain && !this.#target.wants("page", "page_load")) return;
    const data = { parent_frame_id: parentId };
    this.#record("page_navigation", "Page.frameNavigated", data, { frameId: id, loaderId, url });
  }

  #handleTimeline(event: Protocol.PerformanceTimeline.TimelineEvent): void {
    const { type, frameId, time, duration, lcpDetails, layoutShiftDetails } = event;
    const name = "PerformanceTimeline.timelineEventAdded";
    if (type === "layout-shift") {
      if (this.#settleTimer !== null) this.#settleLater();
      this.#record("page_layout_shift", name, {
        source_frame_id: frameId,
        time,
        duration,
        layout_shift_details: {
          value: layoutShiftDetails?.value,
          had_recent_input: layoutShiftDetails?.hadRecentInput,
        },
      });
    } else {
      this.#record("page_lcp", name, {
        source_frame_id: frameId,
        time,
        lcp_details: {
          render_time: lcpDetails?.renderTime,
          load_time: lcpDetails?.loadTime,
          size: lcpDetails?.size,
          element_id: cut(lcpDetails?.elementId ?? "", MAX_NAME_LENGTH),
          url: redactURL(lcpDetails?.url ?? ""),
          node_id: lcpDetails?.nodeId,
        },
      });
    }
  }

  #settleLater(): void {
    clearTimeout(this.#settleTimer);
    this.#settleTimer = setTimeout(() => {
      this.#settleTimer = null;
      this.#record("page_layout_settled", "Page.loadEventFired");
      this.#record("page_navigation_settled", "Page.loadEventFired");
      this.#onSettled();
    }, SETTLE_MS);
  }

  #record(
    type: string,
    event: string,
    data?: Record<string, unknown>,
    place?: { frameId?: string; loaderId?: string; url?: string },
  ): void {
    if (this.#target.wants("page", type) && this.#throttle.admit()) {
      this.#target.record("page", type, { event, data, place });
    }
  }
}
