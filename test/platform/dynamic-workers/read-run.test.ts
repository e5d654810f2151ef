import { describe, expect, it } from "vitest";
import { RunReportError, readRun } from "../../../src/platform/dynamic-workers/read-run.ts";
import { LINE_BYTES, MAX_LINE_LENGTH } from "../../../src/platform/dynamic-workers/run-limits.ts";
import type { LogLine, RunMessage } from "../../../src/platform/dynamic-workers/run-messages.ts";

const LIMITS = { outputBytes: 100, logBytes: 2 * LINE_BYTES + 20 };
const MEBIBYTE = 1024 * 1024;
const CORRUPTED = "The code corrupted the report of its own run";
const NO_RESULT = "The code ended without a result";

const line = (text: string): RunMessage => ({ line: { stream: "stdout", text } });
const done = (json: string): RunMessage => ({ done: { ok: true, json } });
const toText = (...messages: RunMessage[]) =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join("");

function streamOf(chunks: (string | Uint8Array)[], end: "closed" | "open" | Error = "closed") {
  const encoder = new TextEncoder();
  const state = { isCancelled: false };
  const pieces = chunks.map((chunk) => (typeof chunk === "string" ? encoder.encode(chunk) : chunk));
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (end === "closed") controller.close();
      else if (end instanceof Error) controller.error(end);
    },
    cancel() {
      state.isCancelled = true;
    },
  });
  return { stream, state };
}

async function read(...chunks: (string | Uint8Array)[]) {
  const lines: LogLine[] = [];
  const result = await readRun(streamOf(chunks).stream, LIMITS, (received) => void lines.push(received));
  return { result, lines };
}

describe("readRun", () => {
  it("reads lines and the result regardless of chunk boundaries", async () => {
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

  it("returns a failure", async () => {
    const thrown = { name: "TypeError", message: "no", stack: "TypeError: no\n    at x" };
    expect((await read(toText({ done: { ok: false, thrown } }))).result).toEqual({ ok: false, thrown });
  });

  it("stops at the result, ignores later lines and cancels the stream", async () => {
    const { stream, state } = streamOf([toText(done("1"), line("late"))], "open");
    const lines: LogLine[] = [];
    expect(await readRun(stream, LIMITS, (received) => void lines.push(received))).toEqual({
      ok: true,
      json: "1",
    });
    expect(lines).toEqual([]);
    expect(state.isCancelled).toBe(true);
  });

  it("waits for the handler of each line", async () => {
    const steps: string[] = [];
    const { stream } = streamOf([toText(line("a"), line("b"), done("1"))]);
    await readRun(stream, LIMITS, async ({ text }) => {
      steps.push(`begin ${text}`);
      await Promise.resolve();
      steps.push(`end ${text}`);
    });
    expect(steps).toEqual(["begin a", "end a", "begin b", "end b"]);
  });

  it.each([
    ["nothing", [], NO_RESULT],
    ["lines alone", [toText(line("a"))], NO_RESULT],
    ["half a result", [toText(done("1")).slice(0, -5)], NO_RESULT],
    ["invalid JSON", ["nonsense\n"], CORRUPTED],
    ["an unknown message", ['{"other":1}\n'], CORRUPTED],
    ["a line of an unknown stream", ['{"line":{"stream":"stdin","text":"a"}}\n'], CORRUPTED],
    ["a result that is not JSON", [toText(done("{"))], CORRUPTED],
    ["too long a result", [toText(done(`"${"x".repeat(LIMITS.outputBytes)}"`))], CORRUPTED],
    ["too many lines", [toText(line("a"), line("b"), line("c"), done("1"))], CORRUPTED],
    ["too long lines", [toText(line("x".repeat(LIMITS.logBytes)), done("1"))], CORRUPTED],
    ["an endless line", Array.from({ length: 1000 }, () => "x".repeat(1000)), CORRUPTED],
  ])("rejects %s", async (_, chunks, message) => {
    const reading = read(...chunks);
    await expect(reading).rejects.toThrow(RunReportError);
    await expect(reading).rejects.toThrow(message);
  });

  it.each([
    ["a line", '{"line":{"stream":"stdout","text":"', MAX_LINE_LENGTH * 6],
    ["a result", '{"done":{"ok":true,"json":"', 4.5 * MEBIBYTE * 2],
    ["any other message", '{ "line":{"stream":"stdout","text":"', 4.5 * MEBIBYTE * 2],
  ])("rejects %s once it exceeds its limit by a kibibyte", async (_, head, limit) => {
    const limits = { outputBytes: 4.5 * MEBIBYTE, logBytes: 8 * MEBIBYTE };
    const kibibyte = "x".repeat(1024);
    const readLong = (characters: number) => {
      const chunks = [head, ...Array.from({ length: characters / 1024 }, () => kibibyte)];
      return readRun(streamOf(chunks, new Error("all was read")).stream, limits, () => undefined);
    };
    await expect(readLong(limit)).rejects.toThrow("all was read");
    await expect(readLong(limit + 1024)).rejects.toThrow(CORRUPTED);
  });

  it("cancels the stream of a corrupted report", async () => {
    const { stream, state } = streamOf(["nonsense\n"], "open");
    await expect(readRun(stream, LIMITS, () => undefined)).rejects.toThrow(CORRUPTED);
    expect(state.isCancelled).toBe(true);
  });

  it("propagates errors of the stream", async () => {
    const { stream } = streamOf([toText(line("a"))], new Error("killed"));
    await expect(readRun(stream, LIMITS, () => undefined)).rejects.toThrow("killed");
  });
});
