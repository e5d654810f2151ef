import { once } from "node:events";
import { type ClientRequest, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { SharedService } from "../conformance/shared-service.ts";

const DISCONNECT_TIMEOUT_MS = 10_000;

const QUEUE_DELAY_MS = 1_000;

let id: string;

const service = await SharedService.use();
const kernel = service.kernel();

beforeAll(async () => {
  id = (await kernel.browsers.create({ timeout_seconds: 600 })).session_id;
});

/** Starts a request over a new connection. */
function send(
  method: string,
  path: string,
  body: string | Buffer = "{}",
  length = body.length,
): ClientRequest {
  const type = typeof body === "string" ? "application/json" : "application/octet-stream";
  const sent = request(`${service.baseURL}${path}`, {
    method,
    agent: false,
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": type, "content-length": length },
  });
  sent.on("error", () => {});
  sent.write(body);
  return sent;
}

/** Closes the connection, as a client that exits does. */
async function disconnect(sent: ClientRequest): Promise<void> {
  // `once` of node:events would reject on the preceding `error` event.
  const closed = new Promise((resolve) => sent.once("close", resolve));
  sent.destroy();
  await closed;
}

async function readText(path: string): Promise<string> {
  const response = await kernel.browsers.fs.readFile(id, { path }).catch(() => undefined);
  return (await response?.text()) ?? "";
}

async function isRunning(command: string): Promise<boolean> {
  const { stdout_b64 = "" } = await kernel.browsers.process.exec(id, { command: "ps", args: ["-ef"] });
  return Buffer.from(stdout_b64, "base64").toString().includes(command);
}

describe("client disconnect", () => {
  test("leaves the pool's browser to the next acquire", async () => {
    const { id: pool } = await kernel.browserPools.create({ size: 1, fill_rate_per_minute: 25 });
    const { session_id } = await kernel.browserPools.acquire(pool, { acquire_timeout_seconds: 60 });
    const waiting = send("POST", `/browser_pools/${pool}/acquire`, '{"acquire_timeout_seconds":120}');
    waiting.end();
    // Nothing reports when the request is queued.
    await setTimeout(QUEUE_DELAY_MS);
    const next = kernel.browserPools.acquire(pool, { acquire_timeout_seconds: 30 });
    await disconnect(waiting);
    await kernel.browserPools.release(pool, { session_id });
    expect(await next).toMatchObject({ session_id });
    await kernel.browserPools.delete(pool, { force: true });
  });

  test("kills an exec command", async () => {
    const running = send(
      "POST",
      `/browsers/${id}/process/exec`,
      '{"command":"echo > /tmp/runs; sleep 98765"}',
    );
    running.end();
    await expect.poll(() => readText("/tmp/runs")).toBe("\n");
    expect(await isRunning("sleep 98765")).toBe(true);
    await disconnect(running);
    await expect.poll(() => isRunning("sleep 98765"), { timeout: DISCONNECT_TIMEOUT_MS }).toBe(false);
  });

  test("discards a partial upload", async () => {
    await kernel.browsers.fs.writeFile(id, Buffer.from("old"), { path: "/tmp/upload/file" });
    const path = `/browsers/${id}/fs/write_file?path=/tmp/upload/file`;
    const uploading = send("PUT", path, Buffer.alloc(2 * 1024 * 1024, "x"), 10 * 1024 * 1024);
    await once(uploading, "drain");
    await disconnect(uploading);
    const names = async () =>
      (await kernel.browsers.fs.listFiles(id, { path: "/tmp/upload" })).map(({ name }) => name);
    await expect.poll(names, { timeout: DISCONNECT_TIMEOUT_MS }).toEqual(["file"]);
    expect(await readText("/tmp/upload/file")).toBe("old");
  });
});
