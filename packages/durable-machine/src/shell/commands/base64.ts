import { Buffer } from "node:buffer";
import { fromByteString, toByteString } from "../byte-strings.ts";
import { type ByteSink, outputSink } from "./byte-sink.ts";
import { type ByteSource, openOnly, pieces } from "./byte-source.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

const WIDTH = "76";

const NOTHING = new Uint8Array(0);

async function encode(source: ByteSource, sink: ByteSink, width: number): Promise<void> {
  let rest: Uint8Array = NOTHING;
  let column = 0;
  const write = async (bytes: Uint8Array) => {
    const text = btoa(toByteString(bytes));
    let wrapped = "";
    for (let start = 0; start < text.length; ) {
      if (width > 0 && column === width) {
        wrapped += "\n";
        column = 0;
      }
      const line = text.slice(start, width > 0 ? start + width - column : undefined);
      wrapped += line;
      start += line.length;
      column += line.length;
    }
    await sink.write(Buffer.from(wrapped));
  };
  for await (const piece of pieces(source)) {
    const bytes = Buffer.concat([rest, piece]);
    const length = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(length);
    await write(bytes.subarray(0, length));
  }
  await write(rest);
  if (width > 0 && column > 0) await sink.write(Buffer.from("\n"));
}

/** @returns whether all of it is valid. What comes before an error is decoded. */
async function decode(source: ByteSource, sink: ByteSink, ignored: RegExp): Promise<boolean> {
  let text = "";
  const write = async (length: number) => {
    // A single trailing character encodes no byte.
    const characters = text.slice(0, length % 4 === 1 ? length - 1 : length);
    await sink.write(fromByteString(atob(characters)) ?? NOTHING);
    text = text.slice(length);
  };
  for await (const piece of pieces(source)) {
    text += toByteString(piece).replace(ignored, "");
    for (let other = 0; other !== -1 && text.length >= 4; ) {
      other = text.search(/[^A-Za-z0-9+/]/);
      const plain = other === -1 ? text.length : other;
      await write(plain - (plain % 4));
      if (other === -1 || text.length < 4) break;
      if (!/^[A-Za-z0-9+/]{2}[A-Za-z0-9+/=]=/.test(text)) {
        await write(plain % 4);
        return false;
      }
      await write(4);
    }
  }
  if (text === "") return true;
  await write(/^[A-Za-z0-9+/]*/.exec(text)?.[0].length ?? 0);
  return false;
}

function parseWidth(invocation: Invocation, text: string): number {
  if (!/^\d+$/.test(text)) invocation.fail(`invalid wrap size: ${quoteWord(text)}`);
  return Number(text);
}

export const base64: MachineCommand = {
  name: "base64",
  usage: "base64 [OPTION]... [FILE]",
  async run(invocation) {
    const options = invocation.options("d,decode i,ignore-garbage w,wrap=");
    const width = parseWidth(invocation, options.value("w") ?? WIDTH);
    const [operand, extra] = options.operands;
    if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
    const source = await openOnly(invocation, operand);
    const sink = outputSink(invocation);
    let isValid = true;
    if (options.has("d")) isValid = await decode(source, sink, options.has("i") ? /[^A-Za-z0-9+/=]/g : /\n/g);
    else await encode(source, sink, width);
    await sink.flush();
    if (!isValid) invocation.fail("invalid input");
  },
};
