import { Buffer } from "node:buffer";
import { forEachSource, pieces } from "./byte-source.ts";
import type { MachineCommand } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";

const NEWLINE = 0x0a;
const TAB = 0x09;

/** How much of an endless device a pipe gets. */
const ENDLESS_BYTES = 1024 * 1024;

const OPTIONS =
  "b,number-nonblank n,number s,squeeze-blank v,show-nonprinting E,show-ends T,show-tabs A,show-all e t u";

/** A byte in caret and M- notation. */
function visible(byte: number): string {
  if (byte >= 0x80) return `M-${visible(byte - 0x80)}`;
  if (byte === 0x7f) return "^?";
  return byte < 0x20 ? `^${String.fromCharCode(byte + 0x40)}` : String.fromCharCode(byte);
}

/** The formatter keeps its state from piece to piece and from file to file. */
function newFormatter(options: ParsedOptions): (bytes: Uint8Array) => Uint8Array {
  const showsTabs = options.has("A", "t", "T");
  const showsOthers = options.has("A", "e", "t", "v");
  const shown = Array.from({ length: 256 }, (_, byte) => {
    const isShown = byte === TAB ? showsTabs : showsOthers && byte !== NEWLINE;
    return isShown ? visible(byte) : String.fromCharCode(byte);
  });
  if (options.has("A", "e", "E")) shown[NEWLINE] = "$\n";
  let lineNumber = 0;
  let atLineStart = true;
  let afterBlank = false;
  return (bytes) => {
    let out = "";
    for (const byte of bytes) {
      const isBlank = atLineStart && byte === NEWLINE;
      if (isBlank && afterBlank && options.has("s")) continue;
      if (atLineStart && (options.has("b") ? !isBlank : options.has("n"))) {
        out += `${String(++lineNumber).padStart(6)}\t`;
      }
      out += shown[byte];
      if (atLineStart) afterBlank = isBlank;
      atLineStart = byte === NEWLINE;
    }
    return Buffer.from(out, "latin1");
  };
}

export const cat: MachineCommand = {
  name: "cat",
  usage: "cat [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    const isPlain = options.given.every(({ key }) => key === "u");
    const format = newFormatter(options);
    await forEachSource(invocation, options.operands, async (source) => {
      if (source.size === undefined && !source.isStream) {
        invocation.neverEnds({ keptBytes: ENDLESS_BYTES, repeats: false });
      }
      for await (const piece of pieces(source)) {
        await invocation.write(isPlain ? piece : format(piece));
        if (!isPlain) await invocation.stepBytes(8 * piece.length);
      }
    });
  },
};
