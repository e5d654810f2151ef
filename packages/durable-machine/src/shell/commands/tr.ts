import { lookUp } from "../../look-up.ts";
import { argumentBytes } from "./byte-lines.ts";
import { inputSource, pieces } from "./byte-source.ts";
import type { MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

const ESCAPES: Record<string, number> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

const CLASSES: Record<string, RegExp> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t-\r ]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

const BYTES: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte);

const CHARACTER = String.raw`\\[0-3][0-7]{0,2}|\\[4-7][0-7]?|\\?.`;

/** A class, an equivalence, a repetition, a range, or a character. */
const PART = new RegExp(
  String.raw`\[:(\w+):\]|\[=(.)=\]|\[(${CHARACTER})\*(\d*)\]|(${CHARACTER})-(${CHARACTER})|${CHARACTER}`,
  "gs",
);

function byteOf(character: string): number {
  const escaped = character.length > 1 ? character.slice(1) : "";
  if (/^[0-7]/.test(escaped)) return Number.parseInt(escaped, 8);
  return ESCAPES[escaped] ?? character.charCodeAt(character.length - 1);
}

function range(first: string, last: string): readonly number[] {
  if (byteOf(first) <= byteOf(last)) return BYTES.slice(byteOf(first), byteOf(last) + 1);
  const message = `range-endpoints of '${first}-${last}' are in reverse collating sequence order`;
  throw new UsageError(message, { hint: false });
}

function classBytes(name: string): readonly number[] {
  const pattern = lookUp(CLASSES, name);
  if (!pattern) throw new UsageError(`invalid character class ${quoteWord(name)}`, { hint: false });
  return BYTES.slice(0, 0x80).filter((byte) => pattern.test(String.fromCharCode(byte)));
}

function readSet(text: string): number[] {
  return [...argumentBytes(text).matchAll(PART)].flatMap((match) => {
    const [whole, name, same, repeated, count, first, last] = match;
    if (name !== undefined) return classBytes(name);
    // Without a count once is enough, because the last character of a set is repeated anyway.
    if (repeated !== undefined) return BYTES.slice(0, Number(count) || 1).fill(byteOf(repeated));
    if (first !== undefined && last !== undefined) return range(first, last);
    return byteOf(same ?? whole);
  });
}

export const tr: MachineCommand = {
  name: "tr",
  usage: "tr [OPTION]... STRING1 [STRING2]",
  async run(invocation) {
    const options = invocation.options("c,complement C d,delete s,squeeze-repeats t,truncate-set1", {
      operandsEndOptions: true,
    });
    const [firstSet, secondSet, extra] = options.operands;
    if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
    if (firstSet === undefined) throw new UsageError("missing operand");
    if (secondSet === undefined && options.has("d") === options.has("s")) {
      const purpose = options.has("d") ? "both deleting and squeezing repeats" : "translating";
      const problem = `missing operand after ${quoteWord(firstSet)}`;
      throw new UsageError(`${problem}\nTwo strings must be given when ${purpose}.`);
    }
    const listed = readSet(firstSet);
    const first = options.has("c", "C") ? BYTES.filter((byte) => !listed.includes(byte)) : listed;
    const second = secondSet === undefined ? undefined : readSet(secondSet);
    const deleted = new Set(options.has("d") ? first : []);
    const squeezed = new Set(options.has("s") ? (second ?? first) : []);
    const table = Uint8Array.from(BYTES);
    if (!options.has("d") && second !== undefined) {
      const last = second.at(-1);
      if (last === undefined && first.length > 0) {
        throw new UsageError("when not truncating set1, string2 must be non-empty", { hint: false });
      }
      const translated = options.has("t") ? first.slice(0, second.length) : first;
      for (const [index, byte] of translated.entries()) table[byte] = second[index] ?? last ?? byte;
    }
    let previous = -1;
    for await (const piece of pieces(inputSource(invocation))) {
      const out = new Uint8Array(piece.length);
      let length = 0;
      for (const byte of piece) {
        if (deleted.has(byte)) continue;
        const translated = table[byte] ?? byte;
        if (translated === previous && squeezed.has(translated)) continue;
        previous = translated;
        out[length++] = translated;
      }
      await invocation.write(out.subarray(0, length));
      await invocation.stepBytes(4 * piece.length);
    }
  },
};
