import { openOperand, pieces } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";

const NEWLINE = 0x0a;
const TAB = 0x09;
const DELETE = 0x7f;

const encoder = new TextEncoder();

interface CatStyle {
  number: "all" | "nonblank" | "none";
  squeeze: boolean;
  ends: boolean;
  tabs: boolean;
  nonprinting: boolean;
}

function readStyle(options: ParsedOptions): CatStyle {
  return {
    number: options.has("b") ? "nonblank" : options.has("n") ? "all" : "none",
    squeeze: options.has("s"),
    ends: options.has("A", "e", "E"),
    tabs: options.has("A", "t", "T"),
    nonprinting: options.has("A", "e", "t", "v"),
  };
}

/** A byte in caret and M- notation. */
function visible(byte: number): string {
  if (byte >= 0x80) return `M-${visible(byte - 0x80)}`;
  if (byte === DELETE) return "^?";
  return byte < 0x20 ? `^${String.fromCharCode(byte + 0x40)}` : String.fromCharCode(byte);
}

function visibleBytes(style: CatStyle): (Uint8Array | undefined)[] {
  return Array.from({ length: 256 }, (_, byte) => {
    if (byte === NEWLINE) return undefined;
    if (byte === TAB) return style.tabs ? encoder.encode("^I") : undefined;
    return style.nonprinting && (byte < 0x20 || byte >= DELETE) ? encoder.encode(visible(byte)) : undefined;
  });
}

/** Numbers, marks and squeezes lines. Keeps its place from piece to piece and from file to file. */
export class LineFormatter {
  readonly #style: CatStyle;
  readonly #visible: (Uint8Array | undefined)[];
  #lineNumber = 0;
  #atLineStart = true;
  #blankLines = 0;

  constructor(style: CatStyle) {
    this.#style = style;
    this.#visible = visibleBytes(style);
  }

  format(bytes: Uint8Array): Uint8Array {
    const out: number[] = [];
    for (const byte of bytes) this.#formatByte(byte, out);
    return Uint8Array.from(out);
  }

  #formatByte(byte: number, out: number[]): void {
    const isBlank = byte === NEWLINE && this.#atLineStart;
    this.#blankLines = isBlank ? this.#blankLines + 1 : 0;
    if (isBlank && this.#style.squeeze && this.#blankLines > 1) return;
    if (
      this.#atLineStart &&
      (this.#style.number === "all" || (this.#style.number === "nonblank" && !isBlank))
    ) {
      out.push(...encoder.encode(`${String(++this.#lineNumber).padStart(6)}\t`));
    }
    if (byte === NEWLINE && this.#style.ends) out.push(0x24);
    const shown = this.#visible[byte];
    if (shown) out.push(...shown);
    else out.push(byte);
    this.#atLineStart = byte === NEWLINE;
  }
}

async function catFile(invocation: Invocation, operand: string, formatter?: LineFormatter): Promise<void> {
  try {
    const source = await openOperand(invocation, operand);
    for await (const piece of pieces(source)) {
      await invocation.write(formatter ? formatter.format(piece) : piece);
      // Formatting takes longer by far than reading does.
      if (formatter) await invocation.stepBytes(8 * piece.length);
    }
  } catch (error) {
    invocation.complain(`${operand}: ${errorText(error)}`);
  }
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
    const plain = !options.given.some(({ key }) => key !== "u");
    const formatter = plain ? undefined : new LineFormatter(readStyle(options));
    for (const operand of options.operands.length === 0 ? ["-"] : options.operands) {
      await catFile(invocation, operand, formatter);
    }
  },
};
