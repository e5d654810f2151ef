import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
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
  "--remote-debugging-port=0",
  "--use-mock-keychain",
  "--disable-features=Translate,AcceptCHFrame,MediaRouter,OptimizationHints,ProcessPerSiteUpToMainFrameThreshold,IsolateSandboxedIframes",
];

const LISTENING = /DevTools listening on ws:\/\/(\S+?)(\/\S+)/;

/** One Chrome of this machine. */
export class LocalBrowser {
  readonly id = crypto.randomUUID();
  readonly startedAt = Date.now();
  /** Fulfills when the browser has ended and nothing is left of it. */
  readonly ended: Promise<void>;
  readonly #process: ChildProcess;
  #host = "";
  #browserPath = "";

  private constructor(executable: string, folder: string) {
    const profile = join(folder, this.id);
    mkdirSync(profile);
    // In a process group of its own, so that its helpers can be ended with it.
    this.#process = spawn(executable, [...FLAGS, `--user-data-dir=${profile}`, "about:blank"], {
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

  /**
   * @param executable the Chrome to run.
   * @param folder where its profile is kept while it runs.
   * @throws when it does not start.
   */
  static async launch(executable: string, folder: string): Promise<LocalBrowser> {
    const browser = new LocalBrowser(executable, folder);
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
    const response = await fetch(`http://${this.#host}/json/${name}`, { signal });
    return response.text();
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
    const listening = new Promise<void>((resolve) => {
      stderr.setEncoding("utf8").on("data", (text: string) => {
        if (this.#host !== "") return;
        output += text;
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
