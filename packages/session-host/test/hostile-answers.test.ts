import "../../../test/features/machine/routes/workerd-globals.ts";
import { setImmediate } from "node:timers/promises";
import type { FileChange } from "durable-machine";
import { describe, expect, it } from "vitest";
import { RemoteMachine } from "../src/client/remote-machine.ts";
import { HOST_LIMITS } from "./host.ts";
import { USERS } from "./programs.ts";

const MEBIBYTE = 2 ** 20;

const REQUEST: Parameters<RemoteMachine["processes"]["start"]>[0] = {
  argv: ["true"],
  directory: "/",
  environment: {},
  user: USERS.kernel,
  takesInput: false,
};

/** A client whose machine answers each request so. */
function machineThatAnswers(status: number, body: () => BodyInit): RemoteMachine {
  const fetch = async () => new Response(body(), { status });
  return new RemoteMachine({
    host: { url: "http://host.test", token: "", fetch },
    id: "machine",
    limits: { ...HOST_LIMITS, outputBytes: MEBIBYTE },
    network: { access: "none", allowPrivateAddresses: false },
    labels: {},
  });
}

/** Pieces of a mebibyte without end. @param counts called for each. */
function endless(counts: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      counts();
      controller.enqueue(new Uint8Array(MEBIBYTE).fill(0x20));
    },
  });
}

const lines = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

describe("the client of a machine whose agent is hostile", () => {
  it("reads no more of an answer than it needs", async () => {
    let pieces = 0;
    const machine = machineThatAnswers(200, () =>
      endless(() => {
        pieces += 1;
      }),
    );
    await expect(machine.files.list("/")).rejects.toMatchObject({ code: "EFBIG" });
    await expect(machine.files.readRange("/file", 0, 10)).rejects.toMatchObject({ code: "EFBIG" });
    await expect(machine.processes.start(REQUEST, { onOutput: () => undefined })).rejects.toThrow("too long");
    expect(pieces).toBeLessThan(40);
  });

  it.each<[string, number, BodyInit, object]>([
    ["an unknown refusal of a start", 422, lines({ code: "evil", message: "x" }), { name: "HostError" }],
    ["a known one", 422, lines({ code: "command_not_found", message: "x" }), { name: "StartError" }],
    ["a refusal that is not JSON", 502, "<html>", { name: "HostError", status: 502, code: "internal_error" }],
    ["a refusal of other types", 422, lines({ code: {}, message: [] }), { code: "internal_error" }],
    ["a pid that is none", 200, lines({ pid: "1" }), { name: "ZodError" }],
  ])("takes %s for what it is", async (_, status, body, expected) => {
    const machine = machineThatAnswers(status, () => body);
    await expect(machine.processes.start(REQUEST, { onOutput: () => undefined })).rejects.toMatchObject(
      expected,
    );
  });

  it.each<[string, unknown]>([
    ["empty output", { stream: "stdout", data: "" }],
    ["output of another stream", { stream: "secret", data: "aGk=" }],
    ["an exit code that is a text", { end: { by: "exit", code: "0" } }],
    ["a limit that is its own", { end: { by: "limit", code: 0, reason: "x" } }],
  ])("ends a process with %s", async (_, event) => {
    const output: string[] = [];
    const machine = machineThatAnswers(200, () => lines({ pid: 1 }, event, { end: { by: "exit", code: 0 } }));
    const { ended } = await machine.processes.start(REQUEST, {
      onOutput: (stream) => void output.push(stream),
    });
    expect(await ended).toEqual({ by: "signal", signal: "KILL" });
    expect(output).toEqual([]);
  });

  it("reports no change with a path that no file has", async () => {
    const change = { type: "write", isDirectory: false };
    const text = lines(
      { ...change, path: "/a" },
      { ...change, path: `/${"x".repeat(5000)}` },
      { ...change, path: "/b" },
    );
    const pieces = [new TextEncoder().encode(text)];
    const read = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece !== undefined) return controller.enqueue(piece);
        controller.close();
        read.resolve();
      },
      cancel: () => read.resolve(),
    });
    const machine = machineThatAnswers(200, () => body);
    const changes: FileChange[] = [];
    await machine.files.watch("/", (received) => void changes.push(received));
    await read.promise;
    await setImmediate();
    expect(changes).toEqual([{ ...change, path: "/a" }]);
  });
});
