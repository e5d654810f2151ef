import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";

const LAUNCH_TIMEOUT_MS = 50_000;
const DOCUMENT_TIMEOUT_MS = 10_000;

/** How long a browser may take to close its pages before it is killed. */
const CLOSE_TIMEOUT_MS = 3_000;

/** Those that wrangler gives its own local browser. */
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

/** Addresses that the browser refuses to open, in any of its contexts: files are of the machine that it runs on. */
const PREFERENCES = { policy: { url_blocklist: ["file://*"] } };

/** What Chrome says, and goes on, where it can listen on no address at its port. */
const PORT_TAKEN = "Cannot start http server for devtools";

const LISTENING = /DevTools listening on ws:\/\/(\S+?)(\/\S+)/;

export interface LaunchOptions {
  /** The Chrome to run. */
  executable: string;
  /** Where its profile is kept while it runs. */
  folder: string;
  /** Where it listens for DevTools clients. */
  port: number;
}

/** Something else has begun to listen on the port. */
export class PortTakenError extends Error {
  override readonly name = "PortTakenError";
}

/** One Chrome of this machine. */
export class LocalBrowser {
  readonly id = crypto.randomUUID();
  readonly startedAt = Date.now();
  /** Fulfills when the browser has ended and nothing is left of it. */
  readonly ended: Promise<void>;
  readonly #process: ChildProcess;
  #host = "";
  #browserPath = "";

  private constructor({ executable, folder, port }: LaunchOptions) {
    const profile = join(folder, this.id);
    mkdirSync(join(profile, "Default"), { recursive: true });
    writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify(PREFERENCES));
    const flags = [...FLAGS, `--remote-debugging-port=${port}`, `--user-data-dir=${profile}`];
    // In a process group of its own, so that its helpers can be ended with it.
    this.#process = spawn(executable, [...flags, "about:blank"], {
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    this.ended = new Promise<void>((resolve) => {
      this.#process.once("error", resolve);
      this.#process.once("exit", resolve);
    }).then(async () => {
      this.#kill();
      // What cannot be removed yet goes with the folder around it.
      await rm(profile, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
    });
  }

  /** @throws PortTakenError; an Error when it does not start. */
  static async launch(options: LaunchOptions): Promise<LocalBrowser> {
    const browser = new LocalBrowser(options);
    try {
      await browser.#untilListening();
      return browser;
    } catch (error) {
      browser.#kill();
      await browser.ended;
      throw error;
    }
  }

  /** Address of its DevTools socket, or of the one of a page. */
  socketURL(pageId?: string): string {
    return `http://${this.#host}${pageId === undefined ? this.#browserPath : `/devtools/page/${encodeURIComponent(pageId)}`}`;
  }

  /** A document of its DevTools server, such as "version". */
  async readDocument(name: string): Promise<string> {
    const signal = AbortSignal.timeout(DOCUMENT_TIMEOUT_MS);
    // Node's fetch refuses the same ports as Chrome.
    const [response] = await once(get(`http://${this.#host}/json/${name}`, { signal }), "response", {
      signal,
    });
    return text(response);
  }

  /** Lets it close its pages, then ends it. */
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

  async #untilListening(): Promise<void> {
    const { stderr } = this.#process;
    if (stderr === null) throw new Error("Chrome has no output");
    let output = "";
    const listening = new Promise<void>((resolve, reject) => {
      stderr.setEncoding("utf8").on("data", (written: string) => {
        if (this.#host !== "") return;
        output += written;
        if (output.includes(PORT_TAKEN)) reject(new PortTakenError(output));
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
      // Nothing of the group is left.
    }
  }
}
