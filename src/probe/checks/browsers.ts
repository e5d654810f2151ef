import { listBrowsers, openDevToolsSocket, readDevToolsDocument } from "../../browser/index.ts";
import { pause } from "../../common/concurrency.ts";
import { readSettings } from "../../common/settings.ts";
import { type Check, differs, type Finding, findingOfError, holds, untried } from "../check.ts";
import { KEEP_ALIVE_MS, type ProbeContext } from "../context.ts";
import { RawConnection } from "../raw-connection.ts";

const LAUNCHES = 4;
const LISTING_POLL_MS = 250;
const PING_INTERVAL_MS = 20_000;

/** Not documented, and shown as it is. */
const LIMITS_URL = "https://browser.invalid/v1/limits";

export const browserChecks: Check[] = [
  { name: "browser_launches", limitMs: 60_000, run: tryLaunches },
  { name: "browser_sockets", limitMs: 60_000, run: trySockets },
  { name: "browser_listing", limitMs: 120_000, run: tryListing },
  { name: "browser_version", limitMs: 60_000, run: tryVersion },
  { name: "browser_keep_alive", limitMs: 3_600_000, isLong: true, run: tryKeepAlive },
  {
    name: "object_lifetime",
    limitMs: 3_600_000,
    isLong: true,
    looksForRestart: true,
    run: async (context) => judgeLifetime(await keepPinging(context), context.options.seconds),
  },
];

async function tryLaunches(context: ProbeContext): Promise<Finding> {
  const limits = await context.env.BROWSER.fetch(LIMITS_URL).then((response) => response.text());
  const startedAt = Date.now();
  const launches = await Promise.allSettled(
    Array.from({ length: LAUNCHES }, (_, index) => pause(index * 250).then(() => context.launch())),
  );
  return judgeLaunches(launches, Date.now() - startedAt, limits.slice(0, 500));
}

export function judgeLaunches(
  launches: readonly PromiseSettledResult<unknown>[],
  durationMs: number,
  limits: string,
): Finding {
  const refused = launches.flatMap((launch) => (launch.status === "rejected" ? [launch.reason] : []));
  const details = { launches: launches.length, refused: refused.length, duration_ms: durationMs, limits };
  if (refused.length === 0) return holds(`${launches.length} launches in ${durationMs} ms`, details);
  return differs(`${refused.length} refused: ${findingOfError(refused[0]).seen}`, details);
}

async function trySockets(context: ProbeContext): Promise<Finding> {
  const { BROWSER } = context.env;
  const id = await context.launch();
  const documents = await Promise.all(
    (["version", "list", "protocol"] as const).map((name) => readDevToolsDocument(BROWSER, id, name)),
  );
  using first = new RawConnection(await openDevToolsSocket(BROWSER, id));
  const second = new RawConnection(await openDevToolsSocket(BROWSER, id));
  const both = [await first.send("Browser.getVersion"), await second.send("Browser.getVersion")];
  second[Symbol.dispose]();
  const created = await first.send("Target.createTarget", { url: "about:blank" });
  const pageId = "result" in created ? String(created.result.targetId) : "";
  using page = new RawConnection(await openDevToolsSocket(BROWSER, id, pageId));
  const refused = [...both, created, await page.send("Page.enable")].find((answer) => "refusal" in answer);
  if (refused !== undefined) return differs(refused.refusal);
  const sizes = documents.map((text) => `${JSON.stringify(JSON.parse(text)).length}`);
  return holds(`two sockets, a page's socket, and documents of ${sizes.join(", ")} characters`);
}

async function tryListing(context: ProbeContext): Promise<Finding> {
  const id = await context.launch();
  const startedAt = Date.now();
  const limitMs = readSettings(context.env).browserListLagMs || 15_000;
  while (!(await listBrowsers(context.env.BROWSER)).has(id)) {
    if (Date.now() - startedAt > limitMs) return differs(`not listed after ${limitMs} ms`);
    await pause(LISTING_POLL_MS);
  }
  return holds(`listed after ${Date.now() - startedAt} ms`);
}

async function tryVersion(context: ProbeContext): Promise<Finding> {
  const { connection } = await context.open();
  const { product, protocolVersion, userAgent } = await connection.send("Browser.getVersion");
  const { arguments: flags } = await connection.send("Browser.getBrowserCommandLine");
  const shown = flags.map((flag) => flag.replace(/^(--user-data-dir)=.*/, "$1=…")).join(" ");
  return holds(`${product}, ${flags.length} flags`, {
    protocol: protocolVersion,
    user_agent: userAgent,
    flags: shown,
  });
}

/** A second browser gets no commands; if it lives too, the commands of the first prove nothing. */
async function tryKeepAlive(context: ProbeContext): Promise<Finding> {
  const silent = await context.launch();
  const { hasPinged, error } = await keepPinging(context);
  const isSilentAlive = (await listBrowsers(context.env.BROWSER)).has(silent);
  return judgeKeepAlive({ hasPinged, error, isSilentAlive });
}

export function judgeKeepAlive(seen: {
  hasPinged: boolean;
  error?: unknown;
  isSilentAlive: boolean;
}): Finding {
  if (!seen.hasPinged) return differs(`a browser was lost in spite of commands: ${String(seen.error)}`);
  return seen.isSilentAlive
    ? untried("a browser without commands lives as long, so commands prove nothing")
    : holds(`a browser without commands for ${KEEP_ALIVE_MS / 1000} s was closed, the other was not`);
}

interface Pinging {
  hasPinged: boolean;
  error?: unknown;
}

async function keepPinging(context: ProbeContext): Promise<Pinging> {
  const { connection } = await context.open();
  const endsAt = Date.now() + context.options.seconds * 1000;
  try {
    while (Date.now() < endsAt) {
      await pause(Math.min(PING_INTERVAL_MS, Math.max(0, endsAt - Date.now())));
      await connection.send("Browser.getVersion");
    }
    return { hasPinged: true };
  } catch (error) {
    return { hasPinged: false, error };
  }
}

/** A restart of the object never comes here. */
export function judgeLifetime({ hasPinged, error }: Pinging, seconds: number): Finding {
  return hasPinged
    ? holds(`the object lived for ${seconds} s`)
    : differs(`the connection to the browser was lost: ${String(error)}`);
}
