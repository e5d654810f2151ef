import { pause } from "../../../lib/common/concurrency.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import {
  BrowserUnavailableError,
  KeepAliveRefusedError,
  listBrowsers,
  readDevToolsDocument,
} from "../../../platform/browser/index.ts";
import { type Checks, differs, type Finding, findingOfError, holds, textOf, untried } from "../check.ts";
import { KEEP_ALIVE_MS, type ProbeContext } from "../context.ts";

const LAUNCH_TIMES_MS = [0, 300, 600, 900];
const LISTING_POLL_MS = 250;
const DEFAULT_LISTING_LIMIT_MS = 15_000;
const MAX_KEEP_ALIVE_MS = 1_200_000;
const PING_INTERVAL_MS = 20_000;

const LIMITS_URL = "https://browser.invalid/v1/limits";

export const browserChecks = {
  async browser_launches(context) {
    const limits = await context.env.BROWSER.fetch(LIMITS_URL).then((response) => response.text());
    const startedAt = Date.now();
    const launches = LAUNCH_TIMES_MS.map((at) => pause(at).then(() => context.launch()));
    const results = await Promise.allSettled(launches);
    const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    return judgeLaunches(errors, { duration_ms: Date.now() - startedAt, limits: limits.slice(0, 500) });
  },

  async browser_sockets(context) {
    const { BROWSER } = context.env;
    const id = await context.launch();
    const names = ["version", "list", "protocol"] as const;
    const documents = await Promise.all(names.map((name) => readDevToolsDocument(BROWSER, id, name)));
    const [first, second] = [await context.connect(id), await context.connect(id)];
    await Promise.all([first.send("Browser.getVersion"), second.send("Browser.getVersion")]);
    second.dispose();
    const { targetId } = await first.send("Target.createTarget", { url: "about:blank" });
    const page = await context.connect(id, targetId);
    await Promise.all([page.send("Page.enable"), first.send("Browser.getVersion")]);
    const sizes = documents.map((text) => JSON.stringify(JSON.parse(text)).length);
    return holds(`two sockets, a page's socket, documents of ${sizes.join(", ")} characters`);
  },

  async browser_listing(context) {
    const id = await context.launch();
    const startedAt = Date.now();
    const limitMs = readSettings(context.env).browserListLagMs || DEFAULT_LISTING_LIMIT_MS;
    while (!(await listBrowsers(context.env.BROWSER)).has(id)) {
      if (Date.now() - startedAt > limitMs) return differs(`not listed after ${limitMs} ms`);
      await pause(LISTING_POLL_MS);
    }
    return holds(`listed after ${Date.now() - startedAt} ms`);
  },

  async browser_version(context) {
    const { connection } = await context.open();
    const { product, userAgent } = await connection.send("Browser.getVersion");
    const { arguments: flags } = await connection.send("Browser.getBrowserCommandLine");
    return holds(`${product}, ${flags.length} flags`, { user_agent: userAgent, flags: flags.join(" ") });
  },

  /** Checks only whether it is granted. Seeing that it is honored would take that long. */
  async browser_keep_alive_limit(context) {
    try {
      await context.launch(MAX_KEEP_ALIVE_MS);
    } catch (error) {
      if (!(error instanceof KeepAliveRefusedError)) throw error;
      return differs(`refused, so browsers get 600 s: ${error.message}`);
    }
    return holds(`${MAX_KEEP_ALIVE_MS / 1000} s were granted`);
  },

  /** A second browser gets no commands; if it also survives, the first browser's commands prove nothing. */
  async browser_keep_alive(context) {
    const silent = await context.launch();
    const failure = await keepPinging(context);
    return judgeKeepAlive(failure, (await listBrowsers(context.env.BROWSER)).has(silent));
  },

  /** If the object does not survive, its next instance stores the result. */
  async object_lifetime(context) {
    const failure = await keepPinging(context);
    if (failure !== undefined) return untried(`the connection to the browser was lost: ${failure}`);
    return holds(`it lived for ${context.options.seconds} s`);
  },
} satisfies Checks;

/** A platform that limits launches must allow some. Failures for reasons other than a limit prove nothing. */
export function judgeLaunches(
  errors: readonly unknown[],
  details: { duration_ms: number; limits: string },
): Finding {
  const count = LAUNCH_TIMES_MS.length;
  if (errors.length === 0) return holds(`${count} launches in ${details.duration_ms} ms`, details);
  const isLimit = (error: unknown) => error instanceof BrowserUnavailableError && error.kind === "limit";
  const limit = errors.find(isLimit);
  const seen = `${errors.length} of ${count} failed: ${findingOfError(limit ?? errors[0]).seen}`;
  if (!errors.every(isLimit)) return untried(seen);
  return errors.length < count ? holds(seen, details) : differs(seen, details);
}

/** @param failure undefined: the browser with commands is alive. */
export function judgeKeepAlive(failure: string | undefined, isSilentAlive: boolean): Finding {
  if (failure !== undefined) return differs(`a browser was lost in spite of commands: ${failure}`);
  if (isSilentAlive) return untried("a browser without commands lives as long, so commands prove nothing");
  return holds(
    `of two browsers with ${KEEP_ALIVE_MS / 1000} s to live, only the one without commands was closed`,
  );
}

/** @returns why it ended early. */
async function keepPinging(context: ProbeContext): Promise<string | undefined> {
  const { connection } = await context.open();
  const endsAt = Date.now() + context.options.seconds * 1000;
  try {
    for (let now = Date.now(); now < endsAt; now = Date.now()) {
      await pause(Math.min(PING_INTERVAL_MS, endsAt - now));
      await connection.send("Browser.getVersion");
    }
    return undefined;
  } catch (error) {
    return textOf(error);
  }
}
