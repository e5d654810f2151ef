import type { Point, Size } from "./coordinates.ts";

/** After this viewer's own move, remote moves count as its echo for this long. */
const ECHO_MS = 1000;

export class RemoteCursor {
  readonly #arrow: SVGElement;
  #ownPoint: Point | undefined;
  #ownMoveAt = Number.NEGATIVE_INFINITY;
  #later: ReturnType<typeof setTimeout> | undefined;

  constructor(arrow: SVGElement) {
    this.#arrow = arrow;
  }

  movedByViewer({ x, y }: Point): void {
    this.#ownPoint = { x, y };
    this.#ownMoveAt = performance.now();
    this.hide();
  }

  show(point: Point, page: Size): void {
    clearTimeout(this.#later);
    const own = this.#ownPoint;
    if (own !== undefined && point.x === Math.round(own.x) && point.y === Math.round(own.y)) return;
    const wait = this.#ownMoveAt + ECHO_MS - performance.now();
    if (wait > 0) {
      this.#later = setTimeout(() => this.show(point, page), wait);
      return;
    }
    this.#arrow.style.left = `${(point.x / page.width) * 100}%`;
    this.#arrow.style.top = `${(point.y / page.height) * 100}%`;
    this.#arrow.classList.add("is-shown");
  }

  hide(): void {
    clearTimeout(this.#later);
    this.#arrow.classList.remove("is-shown");
  }
}
