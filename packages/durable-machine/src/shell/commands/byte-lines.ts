import { Buffer } from "node:buffer";
import { toByteString } from "../byte-strings.ts";
import type { ByteSink } from "./byte-sink.ts";
import { type ByteSource, openOnly, pieces } from "./byte-source.ts";
import type { Invocation } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";

/** The UTF-8 bytes of a text as a byte string: one character for each byte. */
export function argumentBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

export function decodeByteString(text: string): string {
  return Buffer.from(text, "latin1").toString();
}

export async function writeLines(sink: ByteSink, lines: readonly string[], end: string): Promise<void> {
  await sink.write(Buffer.from(lines.map((line) => line + end).join(""), "latin1"));
}

export function endOfLine(options: ParsedOptions): string {
  return options.has("z") ? "\0" : "\n";
}

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
    if (rest.length > invocation.environment.limits.textBytes) invocation.fail("memory exhausted");
    if (!piece.includes(end.charCodeAt(0))) continue;
    const lines = rest.split(end);
    rest = lines.pop() ?? "";
    yield lines;
    // Commands take longer to process lines than to read them.
    await invocation.stepBytes(8 * piece.length);
  }
  if (rest !== "") yield [rest];
}

/** The lines of the file that an operand names. */
export async function* linesOf(
  invocation: Invocation,
  operand: string,
  end: string,
): AsyncGenerator<string, undefined> {
  const source = await openOnly(invocation, operand);
  for await (const lines of lineGroups(invocation, source, end)) yield* lines;
}

/** The rest of a source as a byte string. @param options.held bytes that the command holds already. */
export async function readText(
  invocation: Invocation,
  source: ByteSource,
  options: { held?: number; exitCode?: number } = {},
): Promise<string> {
  const limit = invocation.environment.limits.textBytes - (options.held ?? 0);
  let text = "";
  for await (const piece of pieces(source)) {
    text += toByteString(piece);
    if (text.length > limit) invocation.fail("memory exhausted", options.exitCode);
  }
  return text;
}
