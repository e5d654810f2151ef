import type { ObservedTarget } from "./observed-target.ts";

const MIN_INTERVAL_MS = 2000;
const MAX_LENGTH = 400 * 1024;

/** Takes screenshots of a page when asked to, but not more often than every two seconds. */
export class Screenshots {
  readonly #target: ObservedTarget;
  #takenAt = 0;
  #timer: number | null = null;

  constructor(target: ObservedTarget) {
    this.#target = target;
  }

  takeSoon(): void {
    if (this.#timer !== null || !this.#target.wants("screenshot", "monitor_screenshot")) return;
    const delay = Math.max(0, this.#takenAt + MIN_INTERVAL_MS - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#take();
    }, delay);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #take(): Promise<void> {
    this.#takenAt = Date.now();
    const { observed, info } = this.#target;
    const png = await observed.capture(info.targetId).catch(() => undefined);
    if (png === undefined) return;
    if (png.length > MAX_LENGTH) return observed.recordDropped("screenshot", 1);
    this.#target.record("screenshot", "monitor_screenshot", { event: "Page.screencastFrame", data: { png } });
  }
}
