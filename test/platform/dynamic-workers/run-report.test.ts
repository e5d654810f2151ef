import { describe, expect, it } from "vitest";
import { readRun } from "../../../src/platform/dynamic-workers/read-run.ts";
import { LINE_BYTES, MAX_LINE_LENGTH } from "../../../src/platform/dynamic-workers/run-limits.ts";
import type { LogLine, RunResult } from "../../../src/platform/dynamic-workers/run-messages.ts";
import { RunReport } from "../../../src/platform/dynamic-workers/runtime/run-report.ts";

const MEBIBYTE = 1024 * 1024;
const LIMITS = { outputBytes: 4.5 * MEBIBYTE, logBytes: MEBIBYTE };

async function readReport(
  write: (report: RunReport) => void,
): Promise<{ result: RunResult; lines: [stream: LogLine["stream"], text: string][] }> {
  const report = new RunReport(LIMITS);
  const lines: [LogLine["stream"], string][] = [];
  const result = readRun(report.readable, LIMITS, ({ stream, text }) => void lines.push([stream, text]));
  write(report);
  return { result: await result, lines };
}

async function resultOf(write: (report: RunReport) => void): Promise<RunResult> {
  return (await readReport(write)).result;
}

const circular: unknown[] = [];
circular.push(circular);

function fail(thrown: unknown): never {
  throw thrown;
}

const failure = (message: string) => ({ ok: false, thrown: expect.objectContaining({ message }) });

describe("RunReport", () => {
  it("reports lines in order, then the result", async () => {
    const { result, lines } = await readReport((report) => {
      report.log("stdout", "first\nsecond");
      report.log("stderr", "\u0000 \ud800 €");
      report.succeed({ a: [1, "é"] });
    });
    expect(lines).toEqual([
      ["stdout", "first\nsecond"],
      ["stderr", "\u0000 \ud800 €"],
    ]);
    expect(result).toEqual({ ok: true, json: '{"a":[1,"é"]}' });
  });

  it.each([
    ["nothing", undefined, "null"],
    ["null", null, "null"],
    ["a function", () => 1, "null"],
    ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["NaN", Number.NaN, "null"],
    ["a map", new Map([[1, 2]]), "{}"],
  ])("serializes %s as JSON", async (_, value, json) => {
    expect(await resultOf((report) => report.succeed(value))).toEqual({ ok: true, json });
  });

  it.each([
    ["a circular array", circular, "circular"],
    ["a large integer", 1n, "BigInt"],
    ["a toJSON that throws", { toJSON: () => fail(new Error("not me")) }, "not me"],
    ["a toJSON that throws null", { toJSON: () => fail(null) }, "null"],
  ])("fails for %s as the result", async (_, value, reason) => {
    const result = await resultOf((report) => report.succeed(value));
    const message = result.ok ? "a success" : result.thrown.message;
    expect(message).toMatch(/^The result cannot be serialized as JSON: /);
    expect(message).toContain(reason);
  });

  it("limits the result to 4.5 MiB of JSON in bytes", async () => {
    const longest = "x".repeat(LIMITS.outputBytes - 2);
    expect(await resultOf((report) => report.succeed(longest))).toMatchObject({ ok: true });
    const tooLong = failure("The result has more than 4.5 MiB as JSON");
    expect(await resultOf((report) => report.succeed(`${longest}x`))).toEqual(tooLong);
    expect(await resultOf((report) => report.succeed("é".repeat(LIMITS.outputBytes / 2)))).toEqual(tooLong);
    // Each quote takes two bytes in JSON, and four in JSON within JSON.
    const quotes = '"'.repeat(LIMITS.outputBytes / 2 - 1);
    expect(await resultOf((report) => report.succeed(quotes))).toMatchObject({ ok: true });
    expect(await resultOf((report) => report.succeed(`${quotes}"`))).toEqual(tooLong);
  });

  it("truncates lines over 64 KiB", async () => {
    const longest = "\u0000".repeat(MAX_LINE_LENGTH);
    const { result, lines } = await readReport((report) => {
      report.log("stdout", longest);
      report.log("stderr", `${longest}x`);
      report.succeed(1);
    });
    expect(result).toEqual({ ok: true, json: "1" });
    expect(lines.map(([, text]) => text)).toEqual([longest, `${longest}…`]);
  });

  it("counts the truncated part of a line", async () => {
    const { result, lines } = await readReport((report) => {
      expect(() => report.log("stdout", "x".repeat(LIMITS.logBytes))).toThrow("More than 1 MiB were logged");
      report.succeed(1);
    });
    expect(result).toEqual(failure("More than 1 MiB were logged"));
    expect(lines).toEqual([]);
  });

  it("fails the run after 1 MiB of lines, and throws in its code", async () => {
    const full = MAX_LINE_LENGTH + LINE_BYTES;
    const longest = Array.from({ length: Math.floor(LIMITS.logBytes / full) }, () =>
      "\u0000".repeat(MAX_LINE_LENGTH),
    );
    longest.push("\u0000".repeat((LIMITS.logBytes % full) - 2 * LINE_BYTES - 1));
    const within = await readReport((report) => {
      for (const line of longest) report.log("stdout", line);
      report.log("stderr", "x");
      report.succeed(1);
    });
    expect(within.result).toEqual({ ok: true, json: "1" });
    expect(within.lines).toHaveLength(longest.length + 1);
    const beyond = await readReport((report) => {
      for (const line of longest) report.log("stdout", line);
      expect(() => report.log("stderr", "xx")).toThrow("More than 1 MiB were logged");
      expect(() => report.log("stderr", "")).toThrow("More than 1 MiB were logged");
      report.succeed(1);
    });
    expect(beyond.result).toEqual(failure("More than 1 MiB were logged"));
    expect(beyond.lines).toHaveLength(longest.length);
  });

  it("counts empty lines", async () => {
    const { result, lines } = await readReport((report) => {
      expect(() => {
        for (;;) report.log("stdout", "");
      }).toThrow("More than 1 MiB were logged");
    });
    expect(result).toEqual(failure("More than 1 MiB were logged"));
    expect(lines).toHaveLength(LIMITS.logBytes / LINE_BYTES);
  });

  it("truncates the properties of a failure", async () => {
    const nothing = "\u0000".repeat(100_000);
    const result = await resultOf((report) =>
      report.fail(Object.assign(new Error(nothing), { name: nothing, stack: nothing })),
    );
    expect(result).toMatchObject({ ok: false, thrown: { message: `${nothing.slice(0, 10_000)}…` } });
  });

  it("reports only the first end", async () => {
    const { result, lines } = await readReport((report) => {
      report.fail(new Error("first"));
      report.succeed(1);
      report.fail(new Error("second"));
      report.log("stdout", "late");
    });
    expect(result).toEqual(failure("first"));
    expect(lines).toEqual([]);
  });

  it("works when code has replaced globals", async () => {
    const { stringify } = JSON;
    const { encode } = TextEncoder.prototype;
    const reading = readReport((report) => {
      JSON.stringify = () => "{}";
      TextEncoder.prototype.encode = () => new Uint8Array();
      report.log("stdout", "line");
      report.succeed(["result"]);
      JSON.stringify = stringify;
      TextEncoder.prototype.encode = encode;
    });
    expect(await reading).toEqual({ result: { ok: true, json: '["result"]' }, lines: [["stdout", "line"]] });
  });

  it("stays open until its reader cancels", async () => {
    const report = new RunReport(LIMITS);
    const reader = report.readable.getReader();
    report.succeed(1);
    expect((await reader.read()).done).toBe(false);
    const outcome = await Promise.race([
      reader.read(),
      new Promise((resolve) => setTimeout(resolve, 50, "open")),
    ]);
    expect(outcome).toBe("open");
    await reader.cancel();
  });
});
