import type { ViewerMessage } from "../../src/features/live-view/protocol.ts";
import { type Point, type Size, toPagePoint } from "./coordinates.ts";
import { type Frame, readFrame } from "./frame.ts";

const RESIZE_PAUSE_MS = 150;

export interface ScreenOptions {
  frame: HTMLElement;
  canvas: HTMLCanvasElement;
  send: (message: ViewerMessage) => void;
}

export class Screen {
  readonly #frame: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #send: (message: ViewerMessage) => void;
  #page: Size = { width: 1, height: 1 };
  #hasPicture = false;
  #waiting: Frame[] = [];
  #isDrawing = false;
  /** Frames of a former connection must not be acknowledged on a new one. */
  #epoch = 0;
  #resizePause: ReturnType<typeof setTimeout> | undefined;

  constructor({ frame, canvas, send }: ScreenOptions) {
    const context = canvas.getContext("2d", { alpha: false });
    if (context === null) throw new Error("This browser cannot draw pictures");
    this.#frame = frame;
    this.#canvas = canvas;
    this.#context = context;
    this.#send = send;
    new ResizeObserver(() => this.#resized()).observe(canvas);
    window.visualViewport?.addEventListener("resize", () => this.#resized());
    document.addEventListener("visibilitychange", () => void this.#drawWaiting());
  }

  get page(): Size {
    return this.#page;
  }

  /** @param viewport of the session; popups may be smaller. */
  begin(viewport: Size): void {
    this.#epoch++;
    this.#waiting = [];
    this.#frame.style.setProperty("--session-width", String(viewport.width));
    this.#frame.style.setProperty("--session-height", String(viewport.height));
    this.expect(viewport);
    this.#sendSize();
  }

  expect(viewport: Size): void {
    if (!this.#hasPicture) this.#shape(viewport);
  }

  receive(message: ArrayBuffer): void {
    const frame = readFrame(message);
    if (frame === undefined) return;
    this.#waiting.push(frame);
    void this.#drawWaiting();
  }

  fit(): void {
    document.body.classList.remove("is-filled");
    this.#canvas.style.touchAction = "";
  }

  /** Makes the page cover the view, which then scrolls to the rest, or fit again. */
  toggleFill(view: HTMLElement, at: { clientX: number; clientY: number }): void {
    const { x, y } = this.pagePoint(at);
    const isFilled = document.body.classList.toggle("is-filled");
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = view;
    const pan = scrollWidth > clientWidth ? "pan-x" : "pan-y";
    this.#canvas.style.touchAction = isFilled ? `${pan} pinch-zoom` : "";
    view.scrollTo({
      left: (x / this.#page.width) * scrollWidth - clientWidth / 2,
      top: (y / this.#page.height) * scrollHeight - clientHeight / 2,
    });
  }

  pagePoint({ clientX, clientY }: { clientX: number; clientY: number }): Point {
    return toPagePoint(clientX, clientY, this.#canvas.getBoundingClientRect(), this.#page);
  }

  /** Draws the newest frame and acknowledges older ones too. A hidden page draws none, so sending stops. */
  async #drawWaiting(): Promise<void> {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    while (this.#waiting.length > 0 && !document.hidden) {
      const epoch = this.#epoch;
      const frames = this.#waiting;
      this.#waiting = [];
      const newest = frames.at(-1);
      if (newest !== undefined) await this.#draw(newest);
      if (epoch !== this.#epoch) continue;
      for (const { number } of frames) this.#send({ type: "frame-drawn", frame: number });
    }
    this.#isDrawing = false;
  }

  async #draw({ page, picture }: Frame): Promise<void> {
    const bitmap = await createImageBitmap(new Blob([picture])).catch(() => undefined);
    await new Promise((resolve) => requestAnimationFrame(resolve));
    if (bitmap === undefined) return;
    const { width, height } = bitmap;
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    this.#context.drawImage(bitmap, 0, 0);
    bitmap.close();
    this.#hasPicture = true;
    this.#shape(page);
  }

  #shape(page: Size): void {
    if (page.width === this.#page.width && page.height === this.#page.height) return;
    this.#page = page;
    this.#frame.style.setProperty("--page-width", String(page.width));
    this.#frame.style.setProperty("--ratio", String(page.width / Math.max(page.height, 1)));
  }

  #resized(): void {
    clearTimeout(this.#resizePause);
    this.#resizePause = setTimeout(() => this.#sendSize(), RESIZE_PAUSE_MS);
  }

  #sendSize(): void {
    const { width, height } = this.#canvas.getBoundingClientRect();
    const density = devicePixelRatio * (window.visualViewport?.scale ?? 1);
    const devicePixels = (length: number) => Math.max(1, Math.round(length * density));
    this.#send({ type: "frame-size", width: devicePixels(width), height: devicePixels(height) });
  }
}
