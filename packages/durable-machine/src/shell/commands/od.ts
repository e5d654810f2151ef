import { type ByteSource, openOperand, readFully } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { isPrintable, type OdFormat, parseFormats } from "./od-formats.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { parseSize } from "./sizes.ts";

const DEFAULT_WIDTH = 16;
const WIDTH_WITHOUT_VALUE = 32;

/** What is worked through between two turns of others. */
const LINES_PER_STEP = 64;

/** Options that stand for a type. */
const TYPES: Record<string, string> = {
  B: "o2",
  D: "u4",
  F: "fD",
  H: "x4",
  I: "dL",
  L: "dL",
  O: "o4",
  X: "x4",
  a: "a",
  b: "o1",
  c: "c",
  d: "u2",
  e: "fD",
  f: "fF",
  h: "x2",
  i: "dI",
  l: "dL",
  o: "o2",
  s: "d2",
  x: "x2",
};

/** The radix of the addresses, and their digits. */
const RADIXES: Record<string, { radix: number; digits: number }> = {
  d: { radix: 10, digits: 7 },
  n: { radix: 10, digits: 0 },
  o: { radix: 8, digits: 7 },
  x: { radix: 16, digits: 6 },
};

function readCount(options: ParsedOptions, key: string, long: string): number | undefined {
  const text = options.value(key);
  if (text === undefined) return undefined;
  const count = /^0x[0-9a-f]+$/i.test(text)
    ? Number(text)
    : /^0[0-7]+$/.test(text)
      ? Number.parseInt(text, 8)
      : parseSize(text);
  if (count === undefined) {
    throw new UsageError(`invalid ${key === long ? "" : `-${key} `}argument '${text}'`, { hint: false });
  }
  return count;
}

/** All operands, as if they were one file. */
class Inputs {
  readonly #invocation: Invocation;
  readonly #names: string[];
  #source: ByteSource | undefined;

  constructor(invocation: Invocation, names: readonly string[]) {
    this.#invocation = invocation;
    this.#names = [...names];
  }

  async read(length: number): Promise<Uint8Array> {
    for (;;) {
      this.#source ??= await this.#openNext();
      if (this.#source === undefined) return new Uint8Array(0);
      const piece = await this.#source.read(length);
      if (piece.length > 0) return piece;
      this.#source = undefined;
    }
  }

  /** @returns how much there was of it. */
  async skip(length: number): Promise<number> {
    let skipped = 0;
    while (skipped < length) {
      this.#source ??= await this.#openNext();
      if (this.#source === undefined) break;
      skipped += await this.#source.skip(length - skipped);
      if (skipped < length) this.#source = undefined;
    }
    return skipped;
  }

  async #openNext(): Promise<ByteSource | undefined> {
    for (let name = this.#names.shift(); name !== undefined; name = this.#names.shift()) {
      try {
        return await openOperand(this.#invocation, name);
      } catch (error) {
        this.#invocation.complain(`${name}: ${errorText(error)}`);
      }
    }
    return undefined;
  }
}

/** Writes lines of a dump. */
class Dump {
  readonly #formats: readonly OdFormat[];
  readonly #width: number;
  readonly #address: (position: number) => string;
  /** Characters that the fields of a line take, so that those of all formats end together. */
  readonly #fieldsLength: number;
  readonly #showsRepeats: boolean;
  #previous: Uint8Array | undefined;
  #isRepeating = false;

  constructor(options: {
    formats: readonly OdFormat[];
    width: number;
    address: (position: number) => string;
    showsRepeats: boolean;
  }) {
    this.#formats = options.formats;
    this.#width = options.width;
    this.#address = options.address;
    this.#showsRepeats = options.showsRepeats;
    this.#fieldsLength = Math.max(
      ...options.formats.map(({ size, width }) => ((width + 1) * options.width) / size),
    );
  }

  /** @param bytes of one line; fewer than its width only at the end. */
  line(bytes: Uint8Array, position: number): string {
    const previous = this.#previous;
    this.#previous = bytes;
    const repeats = bytes.length === this.#width && previous?.every((byte, index) => byte === bytes[index]);
    if (repeats && !this.#showsRepeats) {
      const mark = this.#isRepeating ? "" : "*\n";
      this.#isRepeating = true;
      return mark;
    }
    this.#isRepeating = false;
    const address = this.#address(position);
    const whole = new Uint8Array(this.#width);
    whole.set(bytes);
    return this.#formats
      .map((format, index) => {
        const start = index === 0 ? address : " ".repeat(address.length);
        return `${start}${this.#fields(format, whole, bytes.length)}\n`;
      })
      .join("");
  }

  #fields(format: OdFormat, whole: Uint8Array, length: number): string {
    const count = this.#width / format.size;
    const padding = this.#fieldsLength - format.width * count;
    let text = "";
    for (let index = 0; index < count; index++) {
      // What is left over is shared out among the fields, the rounding at the front.
      const before = Math.floor((padding * (count - index)) / count);
      const after = Math.floor((padding * (count - index - 1)) / count);
      const start = index * format.size;
      const isBlank = start >= length;
      if (isBlank && !format.showsText) break;
      const view = new DataView(whole.buffer, start, format.size);
      text += (isBlank ? "" : format.write(view)).padStart(format.width + before - after);
    }
    return format.showsText ? `${text}  >${printable(whole.subarray(0, length))}<` : text;
  }
}

function printable(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => (isPrintable(byte) ? String.fromCharCode(byte) : ".")).join("");
}

function readFormats(options: ParsedOptions): OdFormat[] {
  const formats = options.given.flatMap(({ key, value }) => {
    const type = key === "t" ? value : TYPES[key];
    return type === undefined ? [] : parseFormats(type);
  });
  return formats.length === 0 ? parseFormats("o2") : formats;
}

function readWidth(invocation: Invocation, options: ParsedOptions, formats: readonly OdFormat[]): number {
  const unit = Math.max(...formats.map(({ size }) => size));
  if (!options.has("w")) return DEFAULT_WIDTH;
  const width =
    options.value("w") === undefined ? WIDTH_WITHOUT_VALUE : (readCount(options, "w", "width") ?? 0);
  if (width > 0 && width % unit === 0 && width <= MOST_WIDTH) return width;
  invocation.warn(`warning: invalid width ${width}; using ${unit} instead`);
  return unit;
}

const MOST_WIDTH = 64 * 1024;

export const od: MachineCommand = {
  name: "od",
  usage: "od [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options([
      "A,address-radix=",
      "N,read-bytes=",
      "j,skip-bytes=",
      "t,format=",
      "v,output-duplicates",
      "w,width=?",
      ...Object.keys(TYPES),
    ]);
    const radixName = options.value("A") ?? "o";
    const radix = RADIXES[radixName];
    if (radix === undefined) {
      const message = `invalid output address radix '${radixName}'; it must be one character from [doxn]`;
      throw new UsageError(message, { hint: false });
    }
    const formats = readFormats(options);
    const width = readWidth(invocation, options, formats);
    const address = (position: number) =>
      radix.digits === 0 ? "" : position.toString(radix.radix).padStart(radix.digits, "0");
    const dump = new Dump({ formats, width, address, showsRepeats: options.has("v") });
    const inputs = new Inputs(invocation, options.operands.length === 0 ? ["-"] : options.operands);
    let position = readCount(options, "j", "skip-bytes") ?? 0;
    if ((await inputs.skip(position)) < position) {
      invocation.fail("cannot skip past end of combined input");
    }
    const end = position + (readCount(options, "N", "read-bytes") ?? Number.POSITIVE_INFINITY);
    while (position < end) {
      const block = await readFully(inputs, Math.min(end - position, width * LINES_PER_STEP));
      for (let start = 0; start < block.length; start += width) {
        await invocation.print(dump.line(block.subarray(start, start + width), position + start));
      }
      position += block.length;
      await invocation.step(LINES_PER_STEP / 4);
      if (block.length === 0) break;
    }
    if (radix.digits > 0) await invocation.print(`${address(position)}\n`);
    return undefined;
  },
};
