import type { Action } from "./actions.ts";
import type { Model, Observation } from "./model.ts";

const PNG_SIGNATURE = "89504e470d0a1a0a";

/** A screenshot of a blank page is smaller. */
const MIN_PAGE_BYTES = 6000;

/** Returns the actions of a script, starting when the page is visible. */
export class ScriptedModel implements Model {
  readonly #script: readonly Action[];
  readonly #screen: { width: number; height: number };
  #next = 0;

  /** @param screen the screenshot size that the script expects. */
  constructor(script: readonly Action[], screen: { width: number; height: number }) {
    this.#script = script;
    this.#screen = screen;
  }

  async nextAction({ screenshot }: Observation): Promise<Action> {
    const { width, height } = pngSize(screenshot);
    if (width !== this.#screen.width || height !== this.#screen.height) {
      const expected = `${this.#screen.width}x${this.#screen.height}`;
      throw new Error(`Expected a screenshot of ${expected}, got ${width}x${height}`);
    }
    if (this.#next === 0 && screenshot.length < MIN_PAGE_BYTES) return { type: "wait", milliseconds: 500 };
    const action = this.#script[this.#next];
    this.#next += 1;
    return action ?? { type: "done", success: false, message: "The script has no more actions" };
  }
}

function pngSize(file: Uint8Array): { width: number; height: number } {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length < 24 || bytes.toString("hex", 0, 8) !== PNG_SIGNATURE) {
    throw new Error("The screenshot is not a PNG");
  }
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
