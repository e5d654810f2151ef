import { UsageError } from "./options.ts";

/** How one kind of number or character is written. */
export interface OdFormat {
  /** Bytes that make one. */
  size: number;
  /** Characters that the longest one takes. */
  width: number;
  /** Whether the text stands at the end of the line. */
  showsText: boolean;
  /** @param view of exactly its bytes. */
  write(view: DataView): string;
}

const LETTER_SIZES: Record<string, number> = { C: 1, S: 2, I: 4, L: 8, F: 4, D: 8 };
const OCTAL_WIDTHS: Record<number, number> = { 1: 3, 2: 6, 4: 11, 8: 22 };
const SIGNED_WIDTHS: Record<number, number> = { 1: 4, 2: 6, 4: 11, 8: 20 };
const UNSIGNED_WIDTHS: Record<number, number> = { 1: 3, 2: 5, 4: 10, 8: 20 };
const FLOAT_WIDTHS: Record<number, number> = { 4: 15, 8: 24 };

const CONTROL_NAMES =
  "nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp".split(
    " ",
  );

const ESCAPES: Record<number, string> = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};

export function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f;
}

function unsigned(view: DataView): bigint {
  let value = 0n;
  for (let index = view.byteLength - 1; index >= 0; index--) {
    value = (value << 8n) | BigInt(view.getUint8(index));
  }
  return value;
}

function signed(view: DataView): bigint {
  return BigInt.asIntN(8 * view.byteLength, unsigned(view));
}

function characterName(view: DataView): string {
  const code = view.getUint8(0) & 0x7f;
  return CONTROL_NAMES[code] ?? (code === 0x7f ? "del" : String.fromCharCode(code));
}

function character(view: DataView): string {
  const byte = view.getUint8(0);
  const sequence = ESCAPES[byte];
  if (sequence !== undefined) return sequence;
  return isPrintable(byte) ? String.fromCharCode(byte) : byte.toString(8).padStart(3, "0");
}

/** A number as printf's `%g` writes it, with so many digits. */
function general(value: number, precision: number): string {
  const [mantissa = "", power = "0"] = value.toExponential(precision - 1).split("e");
  const exponent = Number(power);
  const shorten = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent >= -4 && exponent < precision) {
    return shorten(value.toFixed(Math.max(0, precision - 1 - exponent)));
  }
  const sign = exponent < 0 ? "-" : "+";
  return `${shorten(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** With as few digits as tell the number from all others. */
function float(view: DataView): string {
  const isSingle = view.byteLength === 4;
  const value = isSingle ? view.getFloat32(0, true) : view.getFloat64(0, true);
  if (Number.isNaN(value)) return view.getUint8(view.byteLength - 1) & 0x80 ? "-nan" : "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [least, digits, most] = isSingle ? [2 ** -126, 6, 9] : [2 ** -1022, 15, 17];
  const round = (number: number) => (isSingle ? Math.fround(number) : number);
  let precision = Math.abs(value) < least ? 1 : digits;
  while (precision < most && round(Number(value.toPrecision(precision))) !== value) precision++;
  return general(value, precision);
}

function newFormat(letter: string, size: number, showsText: boolean): OdFormat | undefined {
  const padded = (radix: number, width: number) => (view: DataView) =>
    unsigned(view).toString(radix).padStart(width, "0");
  const numbers = (widths: Record<number, number>, write: (width: number) => OdFormat["write"]) => {
    const width = widths[size];
    return width === undefined ? undefined : { size, width, showsText, write: write(width) };
  };
  switch (letter) {
    case "a":
      return { size: 1, width: 3, showsText, write: characterName };
    case "c":
      return { size: 1, width: 3, showsText, write: character };
    case "d":
      return numbers(SIGNED_WIDTHS, () => (view) => String(signed(view)));
    case "u":
      return numbers(UNSIGNED_WIDTHS, () => (view) => String(unsigned(view)));
    case "o":
      return numbers(OCTAL_WIDTHS, (width) => padded(8, width));
    case "x":
      return numbers({ 1: 2, 2: 4, 4: 8, 8: 16 }, (width) => padded(16, width));
    default:
      return numbers(FLOAT_WIDTHS, () => float);
  }
}

const TYPE = /^(?:([ac])|([dfoux])(\d+|[CSILFD])?)(z?)/;

/** The formats of a type such as `x1z` or `o2c`. @throws UsageError */
export function parseFormats(type: string): OdFormat[] {
  const formats: OdFormat[] = [];
  for (let rest = type; rest !== ""; ) {
    const [word, plain, number = "", size, mark] = TYPE.exec(rest) ?? [];
    if (word === undefined) {
      throw new UsageError(`invalid character '${rest.charAt(0)}' in type string '${type}'`, { hint: false });
    }
    const bytes = size === undefined ? (number === "f" ? 8 : 4) : (LETTER_SIZES[size] ?? Number(size));
    const format = newFormat(plain ?? number, bytes, mark === "z");
    if (format === undefined) {
      const kind = number === "f" ? "floating point" : "integral";
      const message = `invalid type string '${type}';\nthis system doesn't provide a ${bytes}-byte ${kind} type`;
      throw new UsageError(message, { hint: false });
    }
    formats.push(format);
    rest = rest.slice(word.length);
  }
  return formats;
}
