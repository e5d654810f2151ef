import type { Action } from "./actions.ts";
import type { Model, Observation } from "./model.ts";

const PNG_SIGNATURE = "89504e470d0a1a0a";

/** A PNG of nothing takes next to no room. */
const BLANK_BYTES = 6000;

/**
 * Stands in for a model, so that the example runs offline: once there is something to see, it does the same actions
 * every time.
 */
export class ScriptedModel implements Model {
  readonly #script: readonly Action[];
  readonly #screen: { width: number; height: number };
  #next = 0;

  /** @param screen the size that the script's coordinates are meant for. */
  constructor(script: readonly Action[], screen: { width: number; height: number }) {
    this.#script = script;
    this.#screen = screen;
  }

  async nextAction({ screenshot }: Observation): Promise<Action> {
    const { width, height } = pngSize(screenshot);
    if (width !== this.#screen.width || height !== this.#screen.height) {
      const { width: wantedWidth, height: wantedHeight } = this.#screen;
      throw new Error(`The screenshot is ${width}x${height} instead of ${wantedWidth}x${wantedHeight}`);
    }
    if (this.#next === 0 && screenshot.length < BLANK_BYTES) return { type: "wait", milliseconds: 500 };
    const action = this.#script[this.#next];
    this.#next += 1;
    return action ?? { type: "done", success: false, message: "The script has no more actions" };
  }
}

function pngSize(file: Uint8Array): { width: number; height: number } {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length < 24 || bytes.toString("hex", 0, 8) !== PNG_SIGNATURE) {
    throw new Error("The screenshot is no PNG");
  }
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
