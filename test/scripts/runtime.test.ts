import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readProcessTable } from "../../scripts/local/process-table.ts";
import { LocalRuntime } from "../../scripts/local/runtime.ts";
import { TCPRelay } from "../../scripts/local/tcp-relay.ts";
import { errorBodySchema } from "../../src/lib/http/wire-error.ts";
import { keepForFile } from "../outside/keep-for-file.ts";
import { listeningPorts } from "../outside/listening-ports.ts";
import { serveHTTP } from "../outside/local-server.ts";

const SCRIPT = `export default {
  async fetch(request, env) {
    const { way, url } = await request.json();
    try {
      if (way === "failure") return new Response("internal error", { status: 500 });
      if (way === "url") return new Response(request.url);
      if (way === "headers") return Response.json([...request.headers.keys()]);
      const answer = way === "public" ? await env.PUBLIC_NETWORK.fetch(url) : await fetch(url);
      return new Response(await answer.text());
    } catch {
      return new Response("refused", { status: 502 });
    }
  },
  scheduled({ cron, scheduledTime }) {
    if (scheduledTime === 0) throw new Error("failed");
    // More than a pipe holds.
    for (let line = 0; line < 2000; line += 1) console.log("x".repeat(1000));
    console.log(JSON.stringify({ cron, scheduledTime }));
  },
}`;

const log: string[] = [];
const restarts: number[] = [];
let folder: string;
let runtime: LocalRuntime;
let freeBytes = 1e9;
let relay: TCPRelay;

const localServer = keepForFile(await serveHTTP((_, response) => response.end("secret")));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "runtime-"));
  runtime = await LocalRuntime.start({
    worker: { name: "tested", compatibilityDate: "2026-08-01", modules: true, script: SCRIPT },
    browsers: { binding: "BROWSER", socketPath: join(folder, "none.sock") },
    data: folder,
    freeBytes: () => freeBytes,
    sockets: join(folder, "r"),
    hosts: ["berth.example"],
    log: (line) => void log.push(line),
    onRestart: (since) => void restarts.push(since),
  });
  relay = await TCPRelay.listen({ host: "127.0.0.1", port: 0 }, runtime.socketPath);
});
afterAll(async () => {
  relay.close();
  await runtime.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(
  options: RequestOptions,
  body = "",
): Promise<{ status: number | undefined; body: string }> {
  const call = request({ host: "127.0.0.1", port: relay.port, ...options }).end(body);
  const [response]: IncomingMessage[] = await once(call, "response");
  if (response === undefined) throw new Error("no response");
  return { status: response.statusCode, body: await text(response) };
}

/** Fetches from a server on this machine inside a Worker. */
async function fetchThroughWorker(way: "public" | "global", host: string): Promise<string> {
  const body = JSON.stringify({ way, url: `http://${host}:${localServer.port}/` });
  return (await ask({ method: "POST" }, body)).body;
}

// The runtime resolves names itself, which also covers DNS rebinding.
it.each(["localhost", "127.0.0.1"])(
  "blocks requests to URLs of users from this machine: %s",
  async (host) => {
    expect(await fetchThroughWorker("public", host)).toBe("refused");
    expect(await fetchThroughWorker("global", host)).toBe("secret");
  },
);

it("runs the scheduled handler, however much it logs", async () => {
  await runtime.runScheduled(1000);
  await expect.poll(() => log.at(-1)).toBe('{"cron":"* * * * *","scheduledTime":1000}');
  expect(log.filter((line) => line.startsWith("x"))).toHaveLength(2000);
  await expect(runtime.runScheduled(0)).rejects.toThrow("exception");
});

it.each([
  ["localhost", 200],
  ["127.0.0.1:1", 200],
  ["[::1]:8787", 200],
  ["192.0.2.7", 200],
  ["berth.example:8787", 200],
  ["BERTH.example", 200],
  ["rebound.example", 421],
  ["berth.example.rebound.example", 421],
  ["127.0.0.1.rebound.example", 421],
  ["localhost.rebound.example", 421],
])("answers for its own names and addresses only: %s", async (host, status) => {
  const url = "http://127.0.0.1:1/";
  const answer = await ask({ method: "POST", headers: { host } }, JSON.stringify({ way: "global", url }));
  expect(answer.status === 421 ? 421 : 200).toBe(status);
  if (status === 421) {
    expect(errorBodySchema.parse(JSON.parse(answer.body)).details?.[0]?.message).toContain("PUBLIC_URL");
  }
});

it.each([
  [{}, "http://127.0.0.1:8787/"],
  [{ "x-forwarded-proto": "https" }, "https://127.0.0.1:8787/"],
  [{ "x-forwarded-proto": "https", "x-forwarded-host": "berth.example" }, "https://berth.example/"],
  [{ "x-forwarded-proto": "https", "x-forwarded-host": "berth.example:8443" }, "https://berth.example:8443/"],
  [{ "x-forwarded-proto": "ftp", "x-forwarded-host": "a/b" }, "http://127.0.0.1:8787/"],
])("knows from a proxy how clients reach it: %j", async (forwarded, url) => {
  const options = { method: "POST", headers: { ...forwarded, host: "127.0.0.1:8787" } };
  expect((await ask(options, JSON.stringify({ way: "url" }))).body).toBe(url);
});

it("calls a failure on a full disk what it is", async () => {
  const fail = () => ask({ method: "POST" }, JSON.stringify({ way: "failure" }));
  expect(await fail()).toEqual({ status: 500, body: "internal error" });
  freeBytes = 4096;
  const { status, body } = await fail();
  freeBytes = 1e9;
  const { code, message } = errorBodySchema.parse(JSON.parse(body));
  expect([status, code]).toEqual([507, "insufficient_storage"]);
  expect(message).toContain("no space left");
});

it("believes no caller who claims an address", async () => {
  const claimed = {
    "cf-connecting-ip": "192.0.2.1",
    "CF-Ray": "1",
    "X-Forwarded-For": "192.0.2.1",
    forwarded: "for=x",
  };
  const options = { method: "POST", headers: { ...claimed, accept: "*/*" } };
  const { body } = await ask(options, JSON.stringify({ way: "headers" }));
  expect(JSON.parse(body).toSorted()).toEqual(["accept", "connection", "content-length", "host"]);
});

/** Pids of the runtime: the path of its sockets is among its arguments. */
function runtimePids(): number[] {
  return readProcessTable().flatMap(({ pid, command }) => (command.includes(folder) ? [pid] : []));
}

it.runIf(process.platform === "linux")("listens on no port, so that nobody reaches it past the relay", () => {
  expect(runtimePids()).toHaveLength(1);
  expect(listeningPorts(runtimePids())).toEqual([]);
  expect(statSync(join(folder, "r")).mode & 0o777).toBe(0o700);
});

it("restarts after a crash, and says since when it runs, so that what the crash left is repaired", async () => {
  const killedAt = Date.now();
  for (const pid of runtimePids()) process.kill(pid, "SIGKILL");
  await expect.poll(() => runtime.runScheduled(2000).then(() => "ran", String)).toBe("ran");
  await expect.poll(() => restarts).toHaveLength(1);
  // Clocks of file systems are a few milliseconds late.
  expect(restarts[0]).toBeGreaterThan(killedAt - 20);
  expect(restarts[0]).toBeLessThanOrEqual(Date.now());
  expect((await ask({ headers: { host: "rebound.example" } })).status).toBe(421);
});
