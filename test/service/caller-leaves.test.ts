import { once } from "node:events";
import { type ClientRequest, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import type Kernel from "@onkernel/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SharedService } from "../conformance/shared-service.ts";

/** What takes longer was not noticed, but came about by itself. */
const NOTICED_WITHIN_MS = 10_000;

const QUEUED_AFTER_MS = 1_000;

let service: SharedService;
let kernel: Kernel;
let id: string;

beforeAll(async () => {
  service = await SharedService.use();
  kernel = service.kernel();
  id = (await kernel.browsers.create({ timeout_seconds: 600 })).session_id;
});
afterAll(() => service.end());

/** Makes a call over a connection of its own. */
function call(
  method: string,
  path: string,
  body: string | Buffer = "{}",
  length = body.length,
): ClientRequest {
  const type = typeof body === "string" ? "application/json" : "application/octet-stream";
  const calling = request(`${service.baseURL}${path}`, {
    method,
    agent: false,
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": type, "content-length": length },
  });
  // It is cut off.
  calling.on("error", () => {});
  calling.write(body);
  return calling;
}

/** Closes a call's connection, as a program that ends does. */
async function leave(calling: ClientRequest): Promise<void> {
  // `once` would reject with the error that comes first.
  const closed = new Promise((resolve) => calling.once("close", resolve));
  calling.destroy();
  await closed;
}

async function readText(path: string): Promise<string> {
  const response = await kernel.browsers.fs.readFile(id, { path }).catch(() => undefined);
  return (await response?.text()) ?? "";
}

/** Whether a process of the session runs that has these arguments. */
async function runs(command: string): Promise<boolean> {
  const { stdout_b64 = "" } = await kernel.browsers.process.exec(id, { command: "ps", args: ["-ef"] });
  return Buffer.from(stdout_b64, "base64").toString().includes(command);
}

describe("a caller that leaves", () => {
  test("acquire gets no browser: it is for whoever asks next", async () => {
    const { id: pool } = await kernel.browserPools.create({ size: 1, fill_rate_per_minute: 25 });
    const { session_id } = await kernel.browserPools.acquire(pool, { acquire_timeout_seconds: 60 });
    const waiting = call("POST", `/browser_pools/${pool}/acquire`, '{"acquire_timeout_seconds":120}');
    waiting.end();
    // Nothing tells when it has its place in the line.
    await setTimeout(QUEUED_AFTER_MS);
    const next = kernel.browserPools.acquire(pool, { acquire_timeout_seconds: 30 });
    await leave(waiting);
    await kernel.browserPools.release(pool, { session_id });
    expect(await next).toMatchObject({ session_id });
    await kernel.browserPools.delete(pool, { force: true });
  });

  test("exec ends the command", async () => {
    const running = call(
      "POST",
      `/browsers/${id}/process/exec`,
      '{"command":"echo > /tmp/runs; sleep 98765"}',
    );
    running.end();
    await expect.poll(() => readText("/tmp/runs")).toBe("\n");
    expect(await runs("sleep 98765")).toBe(true);
    await leave(running);
    await expect.poll(() => runs("sleep 98765"), { timeout: NOTICED_WITHIN_MS }).toBe(false);
  });

  test("an upload leaves nothing of it", async () => {
    await kernel.browsers.fs.writeFile(id, Buffer.from("old"), { path: "/tmp/upload/file" });
    const path = `/browsers/${id}/fs/write_file?path=/tmp/upload/file`;
    const uploading = call("PUT", path, Buffer.alloc(2 * 1024 * 1024, "x"), 10 * 1024 * 1024);
    await once(uploading, "drain");
    await leave(uploading);
    const names = async () =>
      (await kernel.browsers.fs.listFiles(id, { path: "/tmp/upload" })).map(({ name }) => name);
    await expect.poll(names, { timeout: NOTICED_WITHIN_MS }).toEqual(["file"]);
    expect(await readText("/tmp/upload/file")).toBe("old");
  });
});
