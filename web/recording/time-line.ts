import type { RecordingItem } from "../../src/features/recordings/recording-document.ts";
import { find } from "../elements.ts";

const MARK_WIDTH = 2;
/** The title of pages that came to the front. */
const PAGE = "Page";

/** The items of a recording drawn along its length, with the current time. A click seeks. */
export class TimeLine {
  readonly #frame = find("#line", HTMLElement);
  readonly #canvas = find("#marks", HTMLCanvasElement);
  #items: readonly RecordingItem[] = [];
  #duration = 1;

  constructor(onSeek: (time: number) => void) {
    const seek = ({ clientX }: PointerEvent) => {
      const { left, width } = this.#frame.getBoundingClientRect();
      onSeek(Math.min(1, Math.max(0, (clientX - left) / width)) * this.#duration);
    };
    this.#frame.addEventListener("pointerdown", (event) => {
      this.#frame.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.#frame.addEventListener("pointermove", (event) => {
      if (event.buttons === 1) seek(event);
    });
    new ResizeObserver(() => this.#draw()).observe(this.#frame);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  /** @param duration in seconds. */
  show(items: readonly RecordingItem[], duration: number): void {
    this.#items = items;
    this.#duration = Math.max(duration, 0.001);
    this.#draw();
  }

  moveTo(time: number): void {
    this.#frame.style.setProperty("--at", `${(100 * time) / this.#duration}%`);
  }

  #draw(): void {
    const { clientWidth, clientHeight } = this.#frame;
    this.#canvas.width = clientWidth * devicePixelRatio;
    this.#canvas.height = clientHeight * devicePixelRatio;
    const context = this.#canvas.getContext("2d");
    if (context === null) return;
    context.scale(devicePixelRatio, devicePixelRatio);
    const style = getComputedStyle(this.#canvas);
    // Errors are drawn last, over the others.
    for (const item of this.#items.toSorted(
      (first, second) => Number(first.isError) - Number(second.isError),
    )) {
      context.globalAlpha = item.isError || item.kind === PAGE ? 1 : 0.35;
      const height = item.isError ? 1 : item.kind === PAGE ? 0.7 : 0.4;
      context.fillStyle = item.isError ? style.borderColor : style.color;
      const x = (item.time / this.#duration) * (clientWidth - MARK_WIDTH);
      context.fillRect(x, clientHeight * (1 - height), MARK_WIDTH, clientHeight * height);
    }
  }
}
