import { copyStart } from "../../lib/common/copy-start.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";

/** About 10,000 tokens. */
const MAX_LENGTH = 40_000;

export const MAX_RESULT_LENGTH = 1_000_000;

const MAX_KEPT = 4;

/** Cuts long results, and keeps the last ones for `read_result`. */
export class ResultStore {
  readonly #texts = new Map<string, string>();

  cut(text: string): string {
    const wellFormed = text.toWellFormed();
    if (wellFormed.length <= MAX_LENGTH) return wellFormed;
    const id = newIdentifier();
    this.#texts.set(id, copyStart(wellFormed, MAX_RESULT_LENGTH));
    const [oldest = ""] = this.#texts.keys();
    if (this.#texts.size > MAX_KEPT) this.#texts.delete(oldest);
    return this.read(id, 0);
  }

  /** A result's part from an offset on, with a pointer to the next. @throws when it is no longer kept. */
  read(id: string, offset: number): string {
    const text = this.#texts.get(id);
    if (text === undefined) throw new Error(`The result ${id} is not kept any more; call its tool again`);
    const end = Math.min(offset + MAX_LENGTH, text.length);
    const pointer = `[Cut at character ${end} of ${text.length}. For more: read_result with id "${id}" and offset ${end}]`;
    return text.slice(offset, end).toWellFormed() + (end < text.length ? `\n${pointer}` : "");
  }
}
