export interface HexDumpStyle {
  columns: number;
  /** Bytes in a group; 0: all of a line together. */
  group: number;
  upperCase: boolean;
  bits: boolean;
  /** Groups are numbers, their lowest byte first. */
  littleEndian: boolean;
  decimalOffset: boolean;
}

/** Writes bytes line by line. */
export interface LineFormat {
  /** What stands before the first line. */
  begin(): string;
  line(bytes: Uint8Array): string;
  /** What stands behind the last line. */
  end(): string;
}

/** Each byte as it is written. */
function byteTexts(format: (byte: number) => string, upperCase = false): string[] {
  return Array.from({ length: 256 }, (_, byte) => (upperCase ? format(byte).toUpperCase() : format(byte)));
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

function joinTexts(bytes: Uint8Array, texts: readonly string[]): string {
  let joined = "";
  for (const byte of bytes) joined += texts[byte];
  return joined;
}

const PRINTABLE = byteTexts((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "."));

/** The offset, the bytes in groups, and the text of each line. */
export class DumpFormat implements LineFormat {
  readonly #style: HexDumpStyle;
  readonly #texts: readonly string[];
  readonly #group: number;
  #position: number;

  /** @param offset of the first byte. */
  constructor(style: HexDumpStyle, offset: number) {
    this.#style = style;
    this.#texts = byteTexts(style.bits ? (byte) => byte.toString(2).padStart(8, "0") : hex, style.upperCase);
    this.#group = style.group === 0 ? style.columns : style.group;
    this.#position = offset;
  }

  begin(): string {
    return "";
  }

  line(bytes: Uint8Array): string {
    const { decimalOffset } = this.#style;
    const address = decimalOffset ? String(this.#position) : this.#position.toString(16);
    this.#position += bytes.length;
    return `${address.padStart(8, "0")}: ${this.#cells(bytes)}  ${joinTexts(bytes, PRINTABLE)}\n`;
  }

  end(): string {
    return "";
  }

  #cells(bytes: Uint8Array): string {
    const { columns, bits, littleEndian } = this.#style;
    const digits = bits ? 8 : 2;
    let cells = "";
    for (let start = 0; start < columns; start += this.#group) {
      const size = Math.min(this.#group, columns - start);
      const group = bytes.subarray(start, start + size);
      const text = joinTexts(littleEndian ? group.toReversed() : group, this.#texts);
      const width = size * digits;
      cells += (start === 0 ? "" : " ") + (littleEndian ? text.padStart(width) : text.padEnd(width));
    }
    return cells;
  }
}

/** Of a run of lines of zeros the first one, a star in place of the others, and the very last line of all. */
export class ZeroSkippingFormat implements LineFormat {
  readonly #format: LineFormat;
  readonly #columns: number;
  #zeroLines = 0;
  #skipped = "";
  #lastLine = "";

  constructor(format: LineFormat, columns: number) {
    this.#format = format;
    this.#columns = columns;
  }

  begin(): string {
    return this.#format.begin();
  }

  line(bytes: Uint8Array): string {
    const line = this.#format.line(bytes);
    const isZero = bytes.length === this.#columns && bytes.every((byte) => byte === 0);
    this.#zeroLines = isZero ? this.#zeroLines + 1 : 0;
    if (this.#zeroLines > 1) {
      // One line alone is not worth a star.
      this.#skipped = this.#zeroLines === 2 ? line : "*\n";
      this.#lastLine = this.#zeroLines === 2 ? "" : line;
      return "";
    }
    const shown = this.#skipped + line;
    this.#skipped = "";
    this.#lastLine = "";
    return shown;
  }

  end(): string {
    return this.#skipped + this.#lastLine + this.#format.end();
  }
}

/** The digits alone. */
export class PlainFormat implements LineFormat {
  readonly #upperCase: boolean;

  constructor(upperCase: boolean) {
    this.#upperCase = upperCase;
  }

  begin(): string {
    return "";
  }

  line(bytes: Uint8Array): string {
    const digits = bytes.toHex();
    return `${this.#upperCase ? digits.toUpperCase() : digits}\n`;
  }

  end(): string {
    return "";
  }
}

/** What a file's array is called in C. */
export interface ArrayNames {
  /** Undefined: only the elements are shown. */
  array: string | undefined;
  length: string;
}

/** An array of C. */
export class IncludeFormat implements LineFormat {
  readonly #names: ArrayNames;
  readonly #texts: readonly string[];
  #length = 0;

  constructor(names: ArrayNames, upperCase: boolean) {
    this.#names = names;
    this.#texts = byteTexts((byte) => `0x${hex(byte)}`, upperCase);
  }

  begin(): string {
    return this.#names.array === undefined ? "" : `unsigned char ${this.#names.array}[] = {\n`;
  }

  line(bytes: Uint8Array): string {
    const before = this.#length === 0 ? "" : ",\n";
    this.#length += bytes.length;
    return `${before}  ${Array.from(bytes, (byte) => this.#texts[byte]).join(", ")}`;
  }

  end(): string {
    const newline = this.#length === 0 ? "" : "\n";
    if (this.#names.array === undefined) return newline;
    return `${newline}};\nunsigned int ${this.#names.length} = ${this.#length};\n`;
  }
}

/** A line of a dump: where its bytes belong, and they; undefined: it is none. */
export function parseDumpLine(
  line: string,
  columns: number,
): { offset: number; bytes: Uint8Array } | undefined {
  const [, address, rest = ""] = /^\s*([0-9a-fA-F]+):?\s(.*)$/.exec(line) ?? [];
  if (address === undefined) return undefined;
  // Two spaces stand before the text, which may look like digits.
  const digits = (rest.split(/ {2}/, 1)[0] ?? "").replace(/\s/g, "").slice(0, 2 * columns);
  const [hex = ""] = /^(?:[0-9a-fA-F]{2})*/.exec(digits) ?? [];
  return { offset: Number.parseInt(address, 16), bytes: Uint8Array.fromHex(hex) };
}
