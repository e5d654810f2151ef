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
}`;

let folder: string;
let neighbour: Server;
let runtime: LocalRuntime;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "runtime-"));
  neighbour = createServer((_, response) => response.end("secret")).listen(0, "127.0.0.1");
  await once(neighbour, "listening");
  runtime = await LocalRuntime.start({
    worker: { name: "tested", compatibilityDate: "2026-08-01", modules: true, script: SCRIPT },
    browsers: { binding: "BROWSER", script: SCRIPT, socketPath: join(folder, "none.sock") },
    data: folder,
    log: () => undefined,
  });
});
afterAll(async () => {
  await runtime.stop();
  neighbour.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What a Worker gets from a server on this machine. */
async function ask(way: "public" | "global", host: string): Promise<string> {
  const { port } = neighbour.address() as AddressInfo;
  const body = JSON.stringify({ way, url: `http://${host}:${port}/` });
  const answer = await fetch(`http://127.0.0.1:${runtime.port}/`, { method: "POST", body });
  return await answer.text();
}

// A name that the runtime looks up itself, as that of a site whose addresses change between two questions.
it.each(["localhost", "127.0.0.1"])(
  "lets requests that users choose not connect to this machine: %s",
  async (host) => {
    expect(await ask("public", host)).toBe("refused");
    expect(await ask("global", host)).toBe("secret");
  },
);
