import type { Point, Size } from "./coordinates.ts";

/** So long after this viewer's own last move, the remote mouse's moves are taken for its echo. */
const ECHO_MS = 1000;

/** Shows where the remote mouse is while somebody else moves it: a person elsewhere, or a program. */
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
    // The service counts in whole pixels.
    if (own !== undefined && point.x === Math.round(own.x) && point.y === Math.round(own.y)) return;
    const wait = this.#ownMoveAt + ECHO_MS - performance.now();
    if (wait > 0) {
      // Of its own moves the last one's echo is still to come; what no echo follows was somebody else's.
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
