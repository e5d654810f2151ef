import { fromByteString, toByteString } from "../byte-strings.ts";
import type { ByteSink } from "./byte-sink.ts";
import { type ByteSource, pieces } from "./byte-source.ts";
import type { Invocation } from "./invocation.ts";

/** Lines are written in pieces of about so many bytes. */
const WRITE_LENGTH = 16 * 1024;

const encoder = new TextEncoder();

/** An argument of the command line as text tools compare it: a character for each byte. */
export function argumentBytes(text: string): string {
  return toByteString(encoder.encode(text));
}

/** Writes byte strings, gathered. */
export class LineWriter {
  readonly #sink: ByteSink;
  #text = "";

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  async write(text: string): Promise<void> {
    this.#text += text;
    if (this.#text.length >= WRITE_LENGTH) await this.#hand();
  }

  async flush(): Promise<void> {
    await this.#hand();
    await this.#sink.flush();
  }

  async #hand(): Promise<void> {
    const bytes = fromByteString(this.#text) ?? encoder.encode(this.#text);
    this.#text = "";
    if (bytes.length > 0) await this.#sink.write(bytes);
  }
}

/** Lines without their ends. What follows the last end is a line too, unless it is empty. */
export function splitLines(text: string, end = "\n"): string[] {
  const lines = text.split(end);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The lines of a source as byte strings, in groups as they come. */
export async function* lineGroups(
  invocation: Invocation,
  source: ByteSource,
  end = "\n",
): AsyncGenerator<string[]> {
  let rest = "";
  for await (const piece of pieces(source)) {
    rest += toByteString(piece);
    // No line may be longer than what is held of any input.
    if (rest.length > invocation.environment.limits.textBytes) invocation.fail("memory exhausted");
    if (!piece.includes(end.charCodeAt(0))) continue;
    const lines = rest.split(end);
    rest = lines.pop() ?? "";
    yield lines;
    // Whatever is done with lines takes longer than reading them.
    await invocation.stepBytes(8 * piece.length);
  }
  if (rest !== "") yield [rest];
}

/**
 * All that a source holds, as a byte string.
 *
 * @param options.held bytes that the command holds already.
 * @param options.exitCode of the command where it is too much. Default: 1.
 */
export async function readText(
  invocation: Invocation,
  source: ByteSource,
  options: { held?: number; exitCode?: number } = {},
): Promise<string> {
  const most = invocation.environment.limits.textBytes - (options.held ?? 0);
  let text = "";
  for await (const piece of pieces(source)) {
    text += toByteString(piece);
    if (text.length > most) invocation.fail("memory exhausted", options.exitCode);
  }
  return text;
}
