import { listBrowsers, openDevToolsSocket, readDevToolsDocument } from "../../browser/index.ts";
import { pause } from "../../common/concurrency.ts";
import { readSettings } from "../../common/settings.ts";
import { ask } from "../ask.ts";
import { differs, type Finding, findingOfError, holds, textOf, untried } from "../check.ts";
import { KEEP_ALIVE_MS, type ProbeContext } from "../context.ts";

const LAUNCH_TIMES_MS = [0, 300, 600, 900];
const LISTING_POLL_MS = 250;
const DEFAULT_LISTING_LIMIT_MS = 15_000;
const PING_INTERVAL_MS = 20_000;

const LIMITS_URL = "https://browser.invalid/v1/limits";

export async function tryLaunches(context: ProbeContext): Promise<Finding> {
  const limits = await context.env.BROWSER.fetch(LIMITS_URL).then((response) => response.text());
  const startedAt = Date.now();
  const launches = LAUNCH_TIMES_MS.map((at) => pause(at).then(() => context.launch()));
  return judgeLaunches(await Promise.allSettled(launches), Date.now() - startedAt, limits.slice(0, 500));
}

export function judgeLaunches(
  launches: readonly PromiseSettledResult<unknown>[],
  durationMs: number,
  limits: string,
): Finding {
  const refused = launches.flatMap((launch) => (launch.status === "rejected" ? [launch.reason] : []));
  const details = { refused: refused.length, duration_ms: durationMs, limits };
  if (refused.length === 0) return holds(`${launches.length} launches in ${durationMs} ms`, details);
  return differs(
    `${refused.length} of ${launches.length} failed: ${findingOfError(refused[0]).seen}`,
    details,
  );
}

export async function trySockets(context: ProbeContext): Promise<Finding> {
  const { BROWSER } = context.env;
  const id = await context.launch();
  const names = ["version", "list", "protocol"] as const;
  const documents = await Promise.all(names.map((name) => readDevToolsDocument(BROWSER, id, name)));
  const [first, second] = [await openDevToolsSocket(BROWSER, id), await openDevToolsSocket(BROWSER, id)];
  const answers = [await ask(first, "Browser.getVersion"), await ask(second, "Browser.getVersion")];
  second.close();
  const { result } = await ask(first, "Target.createTarget", { url: "about:blank" });
  const page = await openDevToolsSocket(BROWSER, id, String(result.targetId));
  answers.push(await ask(page, "Page.enable"), await ask(first, "Browser.getVersion"));
  const refusal = answers.find((answer) => answer.refusal !== undefined)?.refusal;
  if (refusal !== undefined) return differs(refusal);
  const sizes = documents.map((text) => JSON.stringify(JSON.parse(text)).length);
  return holds(`two sockets, a page's socket, documents of ${sizes.join(", ")} characters`);
}

export async function tryListing(context: ProbeContext): Promise<Finding> {
  const id = await context.launch();
  const startedAt = Date.now();
  const limitMs = readSettings(context.env).browserListLagMs || DEFAULT_LISTING_LIMIT_MS;
  while (!(await listBrowsers(context.env.BROWSER)).has(id)) {
    if (Date.now() - startedAt > limitMs) return differs(`not listed after ${limitMs} ms`);
    await pause(LISTING_POLL_MS);
  }
  return holds(`listed after ${Date.now() - startedAt} ms`);
}

export async function tryVersion(context: ProbeContext): Promise<Finding> {
  const { connection } = await context.open();
  const { product, userAgent } = await connection.send("Browser.getVersion");
  const { arguments: flags } = await connection.send("Browser.getBrowserCommandLine");
  return holds(`${product}, ${flags.length} flags`, { user_agent: userAgent, flags: flags.join(" ") });
}

/** A second browser gets no commands; if it lives too, the commands of the first prove nothing. */
export async function tryKeepAlive(context: ProbeContext): Promise<Finding> {
  const silent = await context.launch();
  const failure = await keepPinging(context);
  const isSilentAlive = (await listBrowsers(context.env.BROWSER)).has(silent);
  return judgeKeepAlive(failure, isSilentAlive);
}

/** @param failure undefined: the browser with commands lives. */
export function judgeKeepAlive(failure: string | undefined, isSilentAlive: boolean): Finding {
  if (failure !== undefined) return differs(`a browser was lost in spite of commands: ${failure}`);
  return isSilentAlive
    ? untried("a browser without commands lives as long, so commands prove nothing")
    : holds(
        `of two browsers with ${KEEP_ALIVE_MS / 1000} s to live, only the one without commands was closed`,
      );
}

/** If the object does not live, its next instance stores the result. */
export async function tryLifetime(context: ProbeContext): Promise<Finding> {
  const failure = await keepPinging(context);
  if (failure !== undefined) return untried(`the connection to the browser was lost: ${failure}`);
  return holds(`it lived for ${context.options.seconds} s`);
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
