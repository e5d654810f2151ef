import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { z } from "zod";
import { UNUSED_FEATURES } from "../browser-flags.ts";
import { errorText } from "../set-up-error.ts";
import type { ChromeUser } from "./chrome-user.ts";
import { DevToolsPipe } from "./devtools-pipe.ts";

const LAUNCH_TIMEOUT_MS = 50_000;

/** After this time, the browser is killed. */
const CLOSE_TIMEOUT_MS = 3_000;

/** How much of Chrome's last output error messages show. */
const MAX_OUTPUT_LENGTH = 10_000;

/**
 * The flags of wrangler's local browser, two that stop requests and questions of Chrome's own, and one
 * without which a page that has printed never prints again, because it waits for a preview that nobody sees.
 */
const FLAGS: readonly string[] = [
  "--allow-pre-commit-input",
  "--disable-background-networking",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-extensions-with-background-pages",
  "--disable-component-update",
  "--disable-crash-reporter",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-extensions",
  "--disable-hang-monitor",
  "--disable-infobars",
  "--disable-ipc-flooding-protection",
  "--disable-popup-blocking",
  "--disable-print-preview",
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
  "--no-default-browser-check",
  "--no-first-run",
  "--password-store=basic",
  "--use-mock-keychain",
  `--disable-features=Translate,AcceptCHFrame,MediaRouter,OptimizationHints,ProcessPerSiteUpToMainFrameThreshold,IsolateSandboxedIframes,${UNUSED_FEATURES}`,
];

/**
 * Chrome reads a user's policies from here, even where no managed policy can be set. They block files on this
 * machine, and Chrome pages that would open them: its policies, its settings and its DevTools front ends.
 * `DeveloperToolsAvailability` is not set: it would also refuse clients.
 */
const PREFERENCES = {
  policy: {
    url_blocklist: ["file://*", "chrome://*", "chrome-untrusted://*", "devtools://*"],
    // Chrome loads parts of its window from hosts of top-chrome. Blocked ones would look like tabs.
    url_allowlist: ["chrome://version", "chrome://top-chrome"],
  },
  policy_test_page_enabled: false,
};

/** What Chrome may need of the system: paths, language, time zone, screen, libraries and network. */
const PASSED_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|LANGUAGE|LC_\w+|TZ|TERM|(WAYLAND_)?DISPLAY|XAUTHORITY|(XDG|DBUS|FONTCONFIG|LD|SSL_CERT|CHROME|CHROMIUM|BREAKPAD)_\w+|(all|ftp|https?|no)_proxy)$/i;

const requireFromPuppeteer = createRequire(createRequire(import.meta.url).resolve("puppeteer-core"));

const versionSchema = z.object({
  product: z.string(),
  protocolVersion: z.string(),
  revision: z.string(),
  userAgent: z.string(),
  jsVersion: z.string(),
});

const protocolSchema = z.object({ version: z.unknown(), domains: z.array(z.unknown()) });

export interface LaunchOptions {
  executable: string;
  /** The temporary profile. Its path is short, because Chrome creates sockets in it. */
  profile: string;
  /** Absent: that of this process. */
  user?: ChromeUser | undefined;
  hasSandbox: boolean;
}

export class LocalBrowser {
  readonly id = crypto.randomUUID();
  readonly startedAt = Date.now();
  /** Fulfills when the browser has ended and its profile is removed. */
  readonly ended: Promise<void>;
  readonly #process: ChildProcess;
  readonly devTools: DevToolsPipe;
  #output = "";

  private constructor({ executable, profile, user, hasSandbox }: LaunchOptions) {
    const defaults = join(profile, "Default");
    const preferences = join(defaults, "Preferences");
    mkdirSync(defaults, { recursive: true, mode: 0o700 });
    writeFileSync(preferences, JSON.stringify(PREFERENCES));
    if (user !== undefined)
      for (const path of [profile, defaults, preferences]) chownSync(path, user.uid, user.gid);
    // Pipes, because pages, and other programs on this machine, could connect to a port.
    const flags = [...FLAGS, "--remote-debugging-pipe", `--user-data-dir=${profile}`];
    if (!hasSandbox) flags.push("--no-sandbox");
    // A process group of its own lets #kill() end all its processes.
    this.#process = spawn(executable, [...flags, "about:blank"], {
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
      detached: true,
      // Without a UTF-8 locale, Chrome names downloads with non-ASCII names "download".
      env: { ...chromeEnvironment(), LC_CTYPE: "C.UTF-8", ...(user && { HOME: profile, TMPDIR: profile }) },
      ...(user && { ...user, cwd: profile }),
    });
    if (this.#process.pid !== undefined) lowerPriority(this.#process.pid);
    const [, , stderr, input, output] = this.#process.stdio;
    if (!(stderr instanceof Readable && input instanceof Writable && output instanceof Readable))
      throw new Error("Chrome has no pipes");
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#output = `${this.#output}${text}`.slice(-MAX_OUTPUT_LENGTH);
    });
    this.devTools = new DevToolsPipe(input, output);
    this.ended = new Promise<void>((resolve) => {
      this.#process.once("error", resolve);
      this.#process.once("exit", resolve);
    }).then(async () => {
      this.#kill();
      this.devTools.end();
      // Leftovers are removed with the parent folder.
      await rm(profile, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
    });
  }

  /** @throws Error when Chrome does not start. */
  static async launch(options: LaunchOptions): Promise<LocalBrowser> {
    const browser = new LocalBrowser(options);
    try {
      await browser.#waitUntilReady();
      return browser;
    } catch (error) {
      browser.#kill();
      await browser.ended;
      throw error;
    }
  }

  /** A document of the DevTools HTTP server, which does not exist without a port. */
  async readDocument(name: string): Promise<object> {
    if (name === "protocol") return readProtocol();
    const webSocketDebuggerUrl = `ws://browsers/devtools/browser/${this.id}`;
    if (name === "list") {
      const targets = await this.devTools.listTargets();
      return targets.map(({ targetId: id, type, title, url, parentId }) => {
        const page = `ws://browsers/devtools/page/${id}`;
        return { description: "", id, parentId, title, type, url, webSocketDebuggerUrl: page };
      });
    }
    const version = versionSchema.parse(await this.devTools.ask("Browser.getVersion"));
    return {
      Browser: version.product,
      "Protocol-Version": version.protocolVersion,
      "User-Agent": version.userAgent,
      "V8-Version": version.jsVersion,
      "WebKit-Version": `537.36 (${version.revision})`,
      webSocketDebuggerUrl,
    };
  }

  /** Closes the browser gracefully, or kills it after a timeout. */
  async close(): Promise<void> {
    this.#process.kill("SIGTERM");
    const timeout = setTimeout(() => this.#kill(), CLOSE_TIMEOUT_MS);
    await this.ended;
    clearTimeout(timeout);
  }

  async #waitUntilReady(): Promise<void> {
    try {
      await Promise.race([
        this.devTools.start(LAUNCH_TIMEOUT_MS),
        this.ended.then(() => {
          throw new Error("Chrome ended before it was ready");
        }),
      ]);
    } catch (error) {
      throw new Error(`${errorText(error)}:\n${this.#output}`);
    }
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

/** As a nice value, so that a browser gets about a third of the service's time. Children inherit it. */
const PRIORITY = 5;

/** Pages may keep all processors busy, but not at the service's expense. */
function lowerPriority(pid: number): void {
  setPriority(pid, PRIORITY);
  try {
    // Where Linux groups processes by session, priorities count only within a group, and each browser is one.
    writeFileSync(`/proc/${pid}/autogroup`, String(PRIORITY));
  } catch {
    // This system has no such groups.
  }
}

/** This process's own contains secrets: its API key, and passwords in settings. */
function chromeEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_VARIABLES.test(name)));
}

/** The protocol of a Chrome of about the same version, because Chrome does not reveal its own over a pipe. */
function readProtocol(): object {
  const [browser, js] = ["browser_protocol", "js_protocol"].map((name) =>
    protocolSchema.parse(
      JSON.parse(readFileSync(requireFromPuppeteer.resolve(`devtools-protocol/json/${name}.json`), "utf8")),
    ),
  );
  return { ...browser, domains: [...(browser?.domains ?? []), ...(js?.domains ?? [])] };
}
