import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";

const LAUNCH_TIMEOUT_MS = 50_000;
const HTTP_TIMEOUT_MS = 10_000;

/** After it, the browser is killed. */
const CLOSE_TIMEOUT_MS = 3_000;

/** The flags of wrangler's local browser. */
const FLAGS: readonly string[] = [
  "--allow-pre-commit-input",
  "--disable-background-networking",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-extensions-with-background-pages",
  "--disable-crash-reporter",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-extensions",
  "--disable-hang-monitor",
  "--disable-infobars",
  "--disable-ipc-flooding-protection",
  "--disable-popup-blocking",
  "--disable-prompt-on-repost",
  "--disable-renderer-backgrounding",
  "--disable-search-engine-choice-screen",
  "--disable-sync",
  "--enable-automation",
  "--export-tagged-pdf",
  "--force-color-profile=srgb",
  "--generate-pdf-document-outline",
  "--headless=new",
  "--hide-scrollbars",
  "--metrics-recording-only",
  "--mute-audio",
  "--no-first-run",
  "--password-store=basic",
  "--use-mock-keychain",
  "--disable-features=Translate,AcceptCHFrame,MediaRouter,OptimizationHints,ProcessPerSiteUpToMainFrameThreshold,IsolateSandboxedIframes",
];

/** Blocks file URLs, which would expose the files of this machine. */
const PREFERENCES = { policy: { url_blocklist: ["file://*"] } };

/** Chrome prints this and keeps running. */
const PORT_IN_USE = "Cannot start http server for devtools";

const LISTENING = /DevTools listening on ws:\/\/(\S+?)(\/\S+)/;

export interface LaunchOptions {
  executable: string;
  /** Parent folder of the temporary profile. */
  folder: string;
  port: number;
}

export class PortInUseError extends Error {
  override readonly name = "PortInUseError";
}

export class LocalBrowser {
  readonly id = crypto.randomUUID();
  readonly startedAt = Date.now();
  /** Fulfills when the browser has ended and its profile is removed. */
  readonly ended: Promise<void>;
  readonly #process: ChildProcess;
  #host = "";
  #browserPath = "";

  private constructor({ executable, folder, port }: LaunchOptions) {
    const profile = join(folder, this.id);
    mkdirSync(join(profile, "Default"), { recursive: true });
    writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify(PREFERENCES));
    const flags = [...FLAGS, `--remote-debugging-port=${port}`, `--user-data-dir=${profile}`];
    // A process group of its own lets #kill() end all its processes.
    this.#process = spawn(executable, [...flags, "about:blank"], {
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    this.ended = new Promise<void>((resolve) => {
      this.#process.once("error", resolve);
      this.#process.once("exit", resolve);
    }).then(async () => {
      this.#kill();
      // Leftovers are removed with the parent folder.
      await rm(profile, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
    });
  }

  /** @throws PortInUseError, or another Error when Chrome does not start. */
  static async launch(options: LaunchOptions): Promise<LocalBrowser> {
    const browser = new LocalBrowser(options);
    try {
      await browser.#waitUntilListening();
      return browser;
    } catch (error) {
      browser.#kill();
      await browser.ended;
      throw error;
    }
  }

  /** Returns the DevTools socket of the browser, or of a page. */
  socketURL(pageId?: string): string {
    return `http://${this.#host}${pageId === undefined ? this.#browserPath : `/devtools/page/${encodeURIComponent(pageId)}`}`;
  }

  /** Fetches a resource of the DevTools HTTP server, such as "version". */
  async fetchJSON(name: string): Promise<string> {
    const signal = AbortSignal.timeout(HTTP_TIMEOUT_MS);
    // Node's fetch blocks the same ports as Chrome.
    const [response] = await once(get(`http://${this.#host}/json/${name}`, { signal }), "response", {
      signal,
    });
    return text(response);
  }

  /** Closes the browser gracefully, or kills it after a timeout. */
  async close(): Promise<void> {
    this.#process.kill("SIGTERM");
    const timeout = new AbortController();
    await Promise.race([
      this.ended,
      setTimeout(CLOSE_TIMEOUT_MS, undefined, { signal: timeout.signal }).then(() => this.#kill()),
    ]);
    timeout.abort();
    await this.ended;
  }

  async #waitUntilListening(): Promise<void> {
    const { stderr } = this.#process;
    if (stderr === null) throw new Error("Chrome has no stderr");
    let output = "";
    const listening = new Promise<void>((resolve, reject) => {
      stderr.setEncoding("utf8").on("data", (text: string) => {
        if (this.#host !== "") return;
        output += text;
        if (output.includes(PORT_IN_USE)) reject(new PortInUseError(output));
        const [, host, path] = LISTENING.exec(output) ?? [];
        if (host === undefined || path === undefined) return;
        this.#host = host;
        this.#browserPath = path;
        resolve();
      });
    });
    const signal = AbortSignal.timeout(LAUNCH_TIMEOUT_MS);
    await Promise.race([
      listening,
      this.ended.then(() => {
        throw new Error(`Chrome ended before it was ready:\n${output}`);
      }),
      once(signal, "abort").then(() => {
        throw new Error(`Chrome was not ready within ${LAUNCH_TIMEOUT_MS / 1000} s:\n${output}`);
      }),
    ]);
  }

  #kill(): void {
    const { pid } = this.#process;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // The process group has already ended.
    }
  }
}
