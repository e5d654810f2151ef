import { describe, expect, it } from "vitest";
import { RunReportError, readRun } from "../../src/dynamic-workers/read-run.ts";
import { LINE_BYTES, MAX_LINE_LENGTH } from "../../src/dynamic-workers/run-limits.ts";
import type { LogLine, RunMessage } from "../../src/dynamic-workers/run-messages.ts";

const LIMITS = { outputBytes: 100, logBytes: 2 * LINE_BYTES + 20 };
const MEBIBYTE = 1024 * 1024;
const BROKEN = "The code corrupted the report of its own run";
const NO_RESULT = "The code ended without a result";

const line = (text: string): RunMessage => ({ line: { stream: "stdout", text } });
const done = (json: string): RunMessage => ({ done: { ok: true, json } });
const toText = (...messages: RunMessage[]) =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join("");

/** A stream of these chunks, and whether somebody has cancelled it. */
function toLazyStream(chunks: (string | Uint8Array)[], end: "closed" | "open" | Error = "closed") {
  const encoder = new TextEncoder();
  const seen = { isCancelled: false };
  const pieces = chunks.map((chunk) => (typeof chunk === "string" ? encoder.encode(chunk) : chunk));
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (end === "closed") controller.close();
      else if (end instanceof Error) controller.error(end);
    },
    cancel() {
      seen.isCancelled = true;
    },
  });
  return { stream, seen };
}

async function read(...chunks: (string | Uint8Array)[]) {
  const lines: LogLine[] = [];
  const result = await readRun(toLazyStream(chunks).stream, LIMITS, (heard) => void lines.push(heard));
  return { result, lines };
}

describe("a run", () => {
  it("tells its lines and its result, however the stream is cut into pieces", async () => {
    const bytes = new TextEncoder().encode(toText(line("été\n€"), line(""), done('{"a":1}')));
    const expected = {
      result: { ok: true, json: '{"a":1}' },
      lines: [
        { stream: "stdout", text: "été\n€" },
        { stream: "stdout", text: "" },
      ],
    };
    expect(await read(bytes)).toEqual(expected);
    expect(await read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it("may fail", async () => {
    const thrown = { name: "TypeError", message: "no", stack: "TypeError: no\n    at x" };
    expect((await read(toText({ done: { ok: false, thrown } }))).result).toEqual({ ok: false, thrown });
  });

  it("is over with its result, whatever comes then, and its stream is let go", async () => {
    const { stream, seen } = toLazyStream([toText(done("1"), line("late"))], "open");
    const lines: LogLine[] = [];
    expect(await readRun(stream, LIMITS, (heard) => void lines.push(heard))).toEqual({ ok: true, json: "1" });
    expect(lines).toEqual([]);
    expect(seen.isCancelled).toBe(true);
  });

  it("is read line by line, as fast as those are taken", async () => {
    const seen: string[] = [];
    const { stream } = toLazyStream([toText(line("a"), line("b"), done("1"))]);
    await readRun(stream, LIMITS, async ({ text }) => {
      seen.push(`begin ${text}`);
      await Promise.resolve();
      seen.push(`end ${text}`);
    });
    expect(seen).toEqual(["begin a", "end a", "begin b", "end b"]);
  });

  it.each([
    ["nothing", [], NO_RESULT],
    ["lines alone", [toText(line("a"))], NO_RESULT],
    ["half of a result", [toText(done("1")).slice(0, -5)], NO_RESULT],
    ["no JSON", ["nonsense\n"], BROKEN],
    ["another message", ['{"other":1}\n'], BROKEN],
    ["a line of another stream", ['{"line":{"stream":"stdin","text":"a"}}\n'], BROKEN],
    ["a result that is no JSON", [toText(done("{"))], BROKEN],
    ["a result that is too long", [toText(done(`"${"x".repeat(LIMITS.outputBytes)}"`))], BROKEN],
    ["too many lines", [toText(line("a"), line("b"), line("c"), done("1"))], BROKEN],
    ["lines that are too long", [toText(line("x".repeat(LIMITS.logBytes)), done("1"))], BROKEN],
    ["a line without end", Array.from({ length: 1000 }, () => "x".repeat(1000)), BROKEN],
  ])("is broken when it tells %s", async (_, chunks, message) => {
    const reading = read(...chunks);
    await expect(reading).rejects.toThrow(RunReportError);
    await expect(reading).rejects.toThrow(message);
  });

  it.each([
    ["a line", '{"line":{"stream":"stdout","text":"', MAX_LINE_LENGTH * 6],
    ["a result", '{"done":{"ok":true,"json":"', 4.5 * MEBIBYTE * 2],
    ["anything else", '{ "line":{"stream":"stdout","text":"', 4.5 * MEBIBYTE * 2],
  ])("is broken as soon as it tells too much with %s, a kibibyte more than may be", async (_, head, most) => {
    const limits = { outputBytes: 4.5 * MEBIBYTE, logBytes: 8 * MEBIBYTE };
    const kibibyte = "x".repeat(1024);
    const readMuch = (characters: number) => {
      const chunks = [head, ...Array.from({ length: characters / 1024 }, () => kibibyte)];
      return readRun(toLazyStream(chunks, new Error("all was read")).stream, limits, () => undefined);
    };
    await expect(readMuch(most)).rejects.toThrow("all was read");
    await expect(readMuch(most + 1024)).rejects.toThrow(BROKEN);
  });

  it("that is broken is let go", async () => {
    const { stream, seen } = toLazyStream(["nonsense\n"], "open");
    await expect(readRun(stream, LIMITS, () => undefined)).rejects.toThrow(BROKEN);
    expect(seen.isCancelled).toBe(true);
  });

  it("fails as its stream fails", async () => {
    const { stream } = toLazyStream([toText(line("a"))], new Error("killed"));
    await expect(readRun(stream, LIMITS, () => undefined)).rejects.toThrow("killed");
  });
});
