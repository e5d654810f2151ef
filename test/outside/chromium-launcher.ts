import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { expectedBrowser, expectedVersion } from "../../scripts/local/chrome-for-testing.ts";

/** Those of wrangler's Chrome that matter to tests, but for the one that turns extensions off. */
const FLAGS = ["--headless=new", "--enable-automation", "--no-first-run", "--remote-debugging-port=0"];

const LISTENING = /DevTools listening on ws:\/\/(\S+?)(\/\S+)/;

interface Launched {
  process: ChildProcess;
  profile: string;
}

/**
 * Launches, for tests inside workerd, Chromiums that load extensions: `POST` answers with one's id, host and the path
 * of its DevTools socket, `DELETE /{id}` ends it. It costs nothing as long as nobody asks.
 *
 * @returns what ends it, and all that it has launched.
 */
export default async function serveChromiums(project: TestProject): Promise<() => Promise<void>> {
  const launched = new Map<string, Launched>();
  const answer = async ({ method, url = "" }: IncomingMessage): Promise<object> => {
    const id = url.slice(1);
    if (method !== "DELETE") return launch(launched);
    await end(launched, id);
    return {};
  };
  const server = createServer(async (request, response) => {
    try {
      response.end(JSON.stringify(await answer(request)));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The launcher has no port");
  project.provide("chromiumLauncher", `http://127.0.0.1:${address.port}`);
  return async () => {
    server.close();
    await Promise.all([...launched.keys()].map((id) => end(launched, id)));
  };
}

async function launch(launched: Map<string, Launched>): Promise<{ id: string; host: string; path: string }> {
  const id = crypto.randomUUID();
  const profile = mkdtempSync(join(tmpdir(), "berth-"));
  const child = spawn(findWrapper(), [...FLAGS, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  launched.set(id, { process: child, profile });
  let said = "";
  for await (const text of child.stderr.setEncoding("utf8")) {
    said += text;
    const [, host, path] = LISTENING.exec(said) ?? [];
    if (host !== undefined && path !== undefined) {
      child.stderr.resume();
      return { id, host, path };
    }
  }
  await end(launched, id);
  throw new Error(`Chromium does not start: ${said}`);
}

async function end(launched: Map<string, Launched>, id: string): Promise<void> {
  const found = launched.get(id);
  if (found === undefined) return;
  launched.delete(id);
  const { process: child, profile } = found;
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}

/** The script that the set-up has put where wrangler looks for its Chrome. */
function findWrapper(): string {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  return join(cache, expectedBrowser(`${process.platform}-${process.arch}`, expectedVersion()).executable);
}
