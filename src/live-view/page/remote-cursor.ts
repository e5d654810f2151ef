import type { Point, Size } from "./coordinates.ts";

/** So long after this viewer's own last move, the remote mouse's moves are taken for its echo. */
const ECHO_MS = 1000;

/** Shows where the remote mouse is while somebody else moves it: a person elsewhere, or a program. */
export class RemoteCursor {
  readonly #arrow: SVGElement;
  #ownPoint: Point | undefined;
  #ownMoveAt = Number.NEGATIVE_INFINITY;

  constructor(arrow: SVGElement) {
    this.#arrow = arrow;
  }

  movedByViewer({ x, y }: Point): void {
    this.#ownPoint = { x, y };
    this.#ownMoveAt = performance.now();
    this.hide();
  }

  show(point: Point, page: Size): void {
    const isEcho = point.x === this.#ownPoint?.x && point.y === this.#ownPoint.y;
    if (isEcho || performance.now() - this.#ownMoveAt < ECHO_MS) return;
    this.#arrow.style.left = `${(point.x / page.width) * 100}%`;
    this.#arrow.style.top = `${(point.y / page.height) * 100}%`;
    this.#arrow.classList.add("is-shown");
  }

  hide(): void {
    this.#arrow.classList.remove("is-shown");
  }
}
