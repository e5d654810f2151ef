import { inputSource, pieces } from "./byte-source.ts";
import type { MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { firstSet, parseSet, secondSet, translationTable } from "./tr-sets.ts";

/** What is done with each byte, in this order. */
interface Translation {
  deleted: ReadonlySet<number>;
  table: Uint8Array | undefined;
  squeezed: ReadonlySet<number>;
}

function refuseOperands(options: ParsedOptions): void {
  const [first, second, third] = options.operands;
  const deletes = options.has("d");
  const squeezes = options.has("s");
  const needsTwo = deletes === squeezes;
  const refuse = (message: string, reason: string): never => {
    throw new UsageError(reason === "" ? message : `${message}\n${reason}`);
  };
  if (first === undefined) throw new UsageError("missing operand");
  if (second === undefined && needsTwo) {
    const purpose = squeezes ? "both deleting and squeezing repeats" : "translating";
    refuse(`missing operand after ${quoteWord(first)}`, `Two strings must be given when ${purpose}.`);
  }
  if (second !== undefined && deletes && !squeezes) {
    refuse(
      `extra operand ${quoteWord(second)}`,
      third === undefined ? "Only one string may be given when deleting without squeezing repeats." : "",
    );
  }
  if (third !== undefined) throw new UsageError(`extra operand ${quoteWord(third)}`);
}

function readTranslation(options: ParsedOptions): Translation {
  const [first = "", second] = options.operands;
  const isComplement = options.has("c", "C");
  const parts = parseSet(first);
  const bytes = firstSet(parts, isComplement);
  const nothing: ReadonlySet<number> = new Set();
  if (options.has("d")) {
    const squeezed = options.has("s") ? new Set(secondSet(parseSet(second ?? ""), 0)) : nothing;
    return { deleted: new Set(bytes), table: undefined, squeezed };
  }
  if (second === undefined) return { deleted: nothing, table: undefined, squeezed: new Set(bytes) };
  const secondParts = parseSet(second);
  const target = secondSet(secondParts, bytes.length);
  const source = options.has("t") ? bytes.slice(0, target.length) : bytes;
  const table = translationTable(
    { parts, bytes: source, isComplement },
    { parts: secondParts, bytes: target },
  );
  return { deleted: nothing, table, squeezed: options.has("s") ? new Set(target) : nothing };
}

/** Applies a translation to bytes as they come. */
export class Translator {
  readonly #deletes: Uint8Array;
  readonly #squeezes: Uint8Array;
  readonly #table: Uint8Array;
  #previous = -1;

  constructor({ deleted, table, squeezed }: Translation) {
    this.#deletes = Uint8Array.from({ length: 256 }, (_, byte) => (deleted.has(byte) ? 1 : 0));
    this.#squeezes = Uint8Array.from({ length: 256 }, (_, byte) => (squeezed.has(byte) ? 1 : 0));
    this.#table = table ?? Uint8Array.from({ length: 256 }, (_, byte) => byte);
  }

  translate(bytes: Uint8Array): Uint8Array {
    const out = new Uint8Array(bytes.length);
    let length = 0;
    for (const byte of bytes) {
      if (this.#deletes[byte] === 1) continue;
      const translated = this.#table[byte] ?? byte;
      if (translated === this.#previous && this.#squeezes[translated] === 1) continue;
      this.#previous = translated;
      out[length++] = translated;
    }
    return out.subarray(0, length);
  }
}

export const tr: MachineCommand = {
  name: "tr",
  usage: "tr [OPTION]... STRING1 [STRING2]",
  async run(invocation) {
    const options = invocation.options(
      ["c,complement", "C", "d,delete", "s,squeeze-repeats", "t,truncate-set1"],
      { operandsEndOptions: true },
    );
    refuseOperands(options);
    if (options.operands.some((text) => /(?:^|[^\\])(?:\\\\)*\\$/.test(text))) {
      invocation.warn("warning: an unescaped backslash at end of string is not portable");
    }
    const translator = new Translator(readTranslation(options));
    for await (const piece of pieces(inputSource(invocation))) {
      await invocation.write(translator.translate(piece));
      await invocation.stepBytes(4 * piece.length);
    }
  },
};
