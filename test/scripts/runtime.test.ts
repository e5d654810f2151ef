import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalRuntime } from "../../scripts/local/runtime.ts";

const SCRIPT = `export default {
  async fetch(request, env) {
    const { way, url } = await request.json();
    try {
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
let folder: string;
let localServer: Server;
let runtime: LocalRuntime;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "runtime-"));
  localServer = createServer((_, response) => response.end("secret")).listen(0, "127.0.0.1");
  await once(localServer, "listening");
  runtime = await LocalRuntime.start({
    worker: { name: "tested", compatibilityDate: "2026-08-01", modules: true, script: SCRIPT },
    browsers: { binding: "BROWSER", socketPath: join(folder, "none.sock") },
    data: folder,
    log: (line) => void log.push(line),
  });
});
afterAll(async () => {
  await runtime.stop();
  localServer.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Fetches from a server on this machine inside a Worker. */
async function fetchThroughWorker(way: "public" | "global", host: string): Promise<string> {
  const { port } = localServer.address() as AddressInfo;
  const body = JSON.stringify({ way, url: `http://${host}:${port}/` });
  const answer = await fetch(`http://127.0.0.1:${runtime.port}/`, { method: "POST", body });
  return await answer.text();
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
