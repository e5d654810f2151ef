import { forEachSource, pieces } from "./byte-source.ts";
import type { MachineCommand } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";

const NEWLINE = 0x0a;
const TAB = 0x09;
const DELETE = 0x7f;

/** What a pipe gets of a device without an end. */
const ENDLESS_BYTES = 1024 * 1024;

const encoder = new TextEncoder();

/** A byte in caret and M- notation. */
function visible(byte: number): string {
  if (byte >= 0x80) return `M-${visible(byte - 0x80)}`;
  if (byte === DELETE) return "^?";
  return byte < 0x20 ? `^${String.fromCharCode(byte + 0x40)}` : String.fromCharCode(byte);
}

/** Numbers, marks and squeezes lines. The function keeps its place from piece to piece and from file to file. */
function newFormatter(options: ParsedOptions): (bytes: Uint8Array) => Uint8Array {
  const showsTabs = options.has("A", "t", "T");
  const showsOthers = options.has("A", "e", "t", "v");
  const shown = Array.from({ length: 256 }, (_, byte) => {
    const isShown = byte === TAB ? showsTabs : showsOthers && byte !== NEWLINE;
    return isShown ? encoder.encode(visible(byte)) : undefined;
  });
  let lineNumber = 0;
  let atLineStart = true;
  let afterBlank = false;
  return (bytes) => {
    const out: number[] = [];
    for (const byte of bytes) {
      const isBlank = atLineStart && byte === NEWLINE;
      if (isBlank && afterBlank && options.has("s")) continue;
      if (atLineStart && (options.has("b") ? !isBlank : options.has("n"))) {
        out.push(...encoder.encode(`${String(++lineNumber).padStart(6)}\t`));
      }
      if (byte === NEWLINE && options.has("A", "e", "E")) out.push(0x24);
      const marked = shown[byte];
      if (marked) out.push(...marked);
      else out.push(byte);
      if (atLineStart) afterBlank = isBlank;
      atLineStart = byte === NEWLINE;
    }
    return Uint8Array.from(out);
  };
}

export const cat: MachineCommand = {
  name: "cat",
  usage: "cat [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options([
      "b,number-nonblank",
      "n,number",
      "s,squeeze-blank",
      "v,show-nonprinting",
      "E,show-ends",
      "T,show-tabs",
      "A,show-all",
      "e",
      "t",
      "u",
    ]);
    const isPlain = options.given.every(({ key }) => key === "u");
    const format = newFormatter(options);
    await forEachSource(invocation, options.operands, async (source) => {
      if (source.size === undefined && !source.isStream) {
        invocation.neverEnds({ keptBytes: ENDLESS_BYTES, repeats: false });
      }
      for await (const piece of pieces(source)) {
        await invocation.write(isPlain ? piece : format(piece));
        // Formatting takes longer by far than reading does.
        if (!isPlain) await invocation.stepBytes(8 * piece.length);
      }
    });
  },
};
