import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { prepareBrowser } from "../../scripts/local/browser.ts";
import { UNUSED_FEATURES } from "../../scripts/local/browser-flags.ts";
import { serveHTTP } from "./local-server.ts";

/** The flags of the local service's Chrome that matter to tests, without the one that disables extensions. */
const FLAGS = [
  "--disable-background-networking",
  "--disable-component-update",
  `--disable-features=${UNUSED_FEATURES}`,
  "--enable-automation",
  "--headless=new",
  "--no-default-browser-check",
  "--no-first-run",
  "--remote-debugging-port=0",
  // Chrome's sandbox does not work as root.
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];

const LISTENING_LINE = /DevTools listening on ws:\/\/(\S+?)(\/\S+)/;

interface LaunchedBrowser {
  process: ChildProcess;
  profile: string;
}

/**
 * Launches Chromiums that load extensions for tests inside workerd. `POST` launches one and returns its id,
 * its host and the path of its DevTools socket; `DELETE /{id}` closes it.
 *
 * @returns a function that closes the server and all browsers.
 */
export default async function serveChromiums(project: TestProject): Promise<() => Promise<void>> {
  const chrome = await prepareBrowser(new AbortController().signal);
  const launched = new Map<string, LaunchedBrowser>();
  const handle = async ({ method, url = "" }: IncomingMessage): Promise<object> => {
    const id = url.slice(1);
    if (method !== "DELETE") return launch(chrome, launched);
    await closeBrowser(launched, id);
    return {};
  };
  const server = await serveHTTP(async (request, response) => {
    try {
      response.end(JSON.stringify(await handle(request)));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  project.provide("chromiumLauncher", server.origin);
  return async () => {
    await server[Symbol.asyncDispose]();
    await Promise.all([...launched.keys()].map((id) => closeBrowser(launched, id)));
  };
}

async function launch(
  chrome: string,
  launched: Map<string, LaunchedBrowser>,
): Promise<{ id: string; host: string; path: string }> {
  const id = crypto.randomUUID();
  const profile = mkdtempSync(join(tmpdir(), "berth-"));
  const child = spawn(chrome, [...FLAGS, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
    // Without a UTF-8 locale, Chrome names downloads with non-ASCII names "download".
    env: { ...process.env, LC_CTYPE: "C.UTF-8" },
  });
  launched.set(id, { process: child, profile });
  let output = "";
  for await (const text of child.stderr.setEncoding("utf8")) {
    output += text;
    const [, host, path] = LISTENING_LINE.exec(output) ?? [];
    if (host !== undefined && path !== undefined) {
      child.stderr.resume();
      return { id, host, path };
    }
  }
  await closeBrowser(launched, id);
  throw new Error(`Chromium did not start: ${output}`);
}

async function closeBrowser(launched: Map<string, LaunchedBrowser>, id: string): Promise<void> {
  const browser = launched.get(id);
  if (browser === undefined) return;
  launched.delete(id);
  const { process: child, profile } = browser;
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
