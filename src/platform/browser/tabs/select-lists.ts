import { drawSelectLists } from "../../page-scripts/bundled.js";
import { toCall } from "../../page-scripts/page-function.ts";
import { type AttachedTargets, DOCUMENT_TYPES } from "../connection/attached-targets.ts";
import { addIsolatedScript } from "../connection/isolated-world.ts";
import type { CDPSession } from "../connection/puppeteer.ts";

/**
 * Draws the lists of selects into the pages, because screenshots and screencasts do not contain native ones.
 * It changes how selects look, so only browsers with viewers use it.
 */
export class SelectLists {
  readonly #targets: AttachedTargets;
  #isPainting = false;

  constructor(targets: AttachedTargets) {
    this.#targets = targets;
  }

  get isPainting(): boolean {
    return this.#isPainting;
  }

  async paint(): Promise<void> {
    if (this.#isPainting) return;
    this.#isPainting = true;
    await Promise.allSettled(this.#targets.attached(DOCUMENT_TYPES).map((session) => this.paintIn(session)));
  }

  async paintIn(session: CDPSession): Promise<void> {
    await Promise.all([
      this.#targets.attachBelow(session, ["iframe"]),
      session.send("Page.enable"),
      addIsolatedScript(session, toCall(drawSelectLists)),
    ]);
  }
}
