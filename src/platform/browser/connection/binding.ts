import { z } from "zod";
import { tryWithin } from "../../../lib/common/concurrency.ts";
import { cut } from "../../../lib/common/cut.ts";
import { logError } from "../../../lib/common/log.ts";
import { parseJSON } from "../../../lib/common/parse-json.ts";

const ORIGIN = "https://browser.invalid";

const ANSWER_TIMEOUT_MS = 10_000;
const LAUNCH_TIMEOUT_MS = 60_000;
const CLOSE_REASON_TIMEOUT_MS = 2000;
const MAX_CLOSE_REASON_LENGTH = 200;

/** Every platform grants it. Newer ones grant up to 20 minutes. */
const USUAL_KEEP_ALIVE_MS = 600_000;

/**
 * The largest page of the list of browsers
 * (https://developers.cloudflare.com/api/resources/browser_rendering/subresources/devtools/subresources/session/methods/list/).
 * The default is not documented.
 */
const LIST_PAGE_SIZE = 200;

/** More browsers than any account may run. */
const MAX_LIST_PAGES = 50;

/** The most that pages overlap: browsers that end while the list is being read move the others forward. */
const MAX_LIST_OVERLAP = 20;

const acquiredSchema = z.object({ sessionId: z.string() });
const listedSchema = z.object({
  sessions: z.array(z.object({ sessionId: z.string(), startTime: z.number().optional() })),
});

const targetsSchema = z.array(z.object({ id: z.string(), type: z.string() }));

/** The platform's other status is `closing`. */
const closedSchema = z.object({ status: z.literal("closed") });

/** The code was once documented as a string. */
const closedSessionSchema = z.object({
  closeReason: z.union([z.number(), z.string()]).optional(),
  closeReasonText: z.string().optional(),
});
const historySchema = z.object({ history: z.array(closedSessionSchema.extend({ sessionId: z.string() })) });

const limitsSchema = z.object({
  activeSessions: z.array(z.object({ id: z.string().optional(), sessionId: z.string().optional() })),
  maxConcurrentSessions: z.number(),
  allowedBrowserAcquisitions: z.number(),
  timeUntilNextAllowedBrowserAcquisition: z.number(),
});

/** The browser binding, or what offers its HTTP interface for another account. */
export type BrowserBinding = Pick<BrowserRun, "fetch">;

/** What the account may launch at this moment. */
export interface PlatformLimits {
  maxBrowsers: number;
  /** Ids of all running browsers of the account. */
  running: string[];
  /** Launches that are allowed at once. */
  allowedLaunches: number;
  /** Milliseconds until the next launch is allowed. */
  nextLaunchInMs: number;
}

export class BrowserUnavailableError extends Error {
  override readonly name = "BrowserUnavailableError";
  /** `limit`: the account has reached its number of browsers or its launch rate. */
  readonly kind: "limit" | "failure";
  readonly retryAfterSeconds: number;

  constructor(kind: "limit" | "failure", message: string, retryAfterSeconds: number, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The platform does not keep a browser for as long as requested. */
export class KeepAliveRefusedError extends Error {
  override readonly name = "KeepAliveRefusedError";
}

/** Bindings whose platform has refused more than {@link USUAL_KEEP_ALIVE_MS}. */
const refusing = new WeakSet<BrowserBinding>();

/**
 * Launches a browser.
 *
 * @param keepAliveMs how long the platform keeps the browser without a command; 10 minutes if it refuses
 * more.
 * @returns the platform's browser id.
 * @throws BrowserUnavailableError
 *
 * @example
 * ```ts
 * const browserId = await acquireBrowser(env.BROWSER, 600_000);
 * const socket = await openDevToolsSocket(env.BROWSER, browserId);
 * await closeBrowser(env.BROWSER, browserId);
 * ```
 */
export async function acquireBrowser(binding: BrowserBinding, keepAliveMs: number): Promise<string> {
  const usualMs = Math.min(keepAliveMs, USUAL_KEEP_ALIVE_MS);
  if (refusing.has(binding)) return acquireKeptBrowser(binding, usualMs);
  try {
    return await acquireKeptBrowser(binding, keepAliveMs);
  } catch (error) {
    if (!(error instanceof KeepAliveRefusedError)) throw error;
    logError("browser_keep_alive_refused", error, { seconds: keepAliveMs / 1000 });
    refusing.add(binding);
    return acquireKeptBrowser(binding, usualMs);
  }
}

/**
 * Launches a browser that is kept for as long as given.
 *
 * @throws BrowserUnavailableError, and KeepAliveRefusedError when only a shorter time may be granted.
 */
export async function acquireKeptBrowser(binding: BrowserBinding, keepAliveMs: number): Promise<string> {
  const path = `/v1/devtools/browser?keep_alive=${keepAliveMs}`;
  const { response, text } = await readAnswer(binding, path, { method: "POST" }, LAUNCH_TIMEOUT_MS);
  const isInvalid = response.status === 400 || response.status === 422;
  if (isInvalid && keepAliveMs > USUAL_KEEP_ALIVE_MS)
    throw new KeepAliveRefusedError(`${response.status} ${text.slice(0, 200)}`);
  if (!response.ok) throw toUnavailable(response, text);
  const parsed = acquiredSchema.safeParse(parseJSON(text));
  if (!parsed.success)
    throw new BrowserUnavailableError("failure", "The platform's answer contains no browser id", 5);
  return parsed.data.sessionId;
}

export async function openDevToolsSocket(
  binding: BrowserBinding,
  browserId: string,
  pageId?: string,
): Promise<WebSocket> {
  const page = pageId === undefined ? "" : `/page/${encodeURIComponent(pageId)}`;
  const url = `${ORIGIN}${browserPath(browserId)}${page}`;
  const { response, text } = await withTimeout(ANSWER_TIMEOUT_MS, async (signal) => {
    const response = await binding.fetch(url, { headers: { upgrade: "websocket" }, signal });
    return { response, text: response.webSocket === null ? await response.text() : "" };
  });
  const socket = response.webSocket;
  if (socket === null) throw toUnavailable(response, text);
  socket.accept();
  return socket;
}

/** Asks the platform to close a browser, which takes a moment. @returns whether it is gone. */
export async function closeBrowser(binding: BrowserBinding, browserId: string): Promise<boolean> {
  const { response, text } = await readAnswer(binding, browserPath(browserId), { method: "DELETE" });
  if (response.status === 404 || response.status === 410) return true;
  if (!response.ok) throw toUnavailable(response, text);
  return closedSchema.safeParse(parseJSON(text)).success;
}

export type DevToolsDocument = "version" | "list" | "protocol";

export async function readDevToolsDocument(
  binding: BrowserBinding,
  browserId: string,
  document: DevToolsDocument,
): Promise<string> {
  const { response, text } = await readAnswer(binding, `${browserPath(browserId)}/json/${document}`, {});
  if (!response.ok) throw toUnavailable(response, text);
  return text;
}

export async function listPageIds(binding: BrowserBinding, browserId: string): Promise<string[]> {
  const targets = targetsSchema.parse(JSON.parse(await readDevToolsDocument(binding, browserId, "list")));
  return targets.filter(({ type }) => type === "page").map(({ id }) => id);
}

/**
 * Asks the browser itself, because the platform's list lacks it for seconds after a launch.
 *
 * @throws BrowserUnavailableError when the platform's answer is unclear.
 */
export async function isBrowserGone(binding: BrowserBinding, browserId: string): Promise<boolean> {
  const { response, text } = await readAnswer(binding, `${browserPath(browserId)}/json/version`, {});
  if (response.ok) return false;
  if (response.status === 404 || response.status === 410) return true;
  throw toUnavailable(response, text);
}

/**
 * Why the platform closed a browser, such as `BrowserIdle`: from the session's details, otherwise from the
 * account's history.
 *
 * @returns undefined when the platform does not say within two seconds. Never throws.
 */
export async function readCloseReason(
  binding: BrowserBinding,
  browserId: string,
): Promise<string | undefined> {
  const id = platformId(browserId);
  const read = async (path: string) =>
    parseJSON((await readAnswer(binding, path, {}, CLOSE_REASON_TIMEOUT_MS)).text);
  const readDetails = async () =>
    describeClose(
      closedSessionSchema.safeParse(await read(`/v1/devtools/session/${encodeURIComponent(id)}`)).data,
    );
  const readHistory = async () => {
    const history = historySchema.safeParse(await read("/v1/history")).data?.history ?? [];
    return describeClose(history.find(({ sessionId }) => sessionId === id));
  };
  const reading = readDetails().then((reason) => reason ?? readHistory());
  return tryWithin(reading, CLOSE_REASON_TIMEOUT_MS);
}

function describeClose(closed: z.infer<typeof closedSessionSchema> | undefined): string | undefined {
  const text = closed?.closeReasonText || closed?.closeReason?.toString();
  return text === undefined ? undefined : cut(text, MAX_CLOSE_REASON_LENGTH).toWellFormed();
}

/**
 * Lists all browsers of the account by id, including those of other services.
 *
 * @returns launch times in milliseconds since the epoch; undefined where unknown.
 * @throws BrowserUnavailableError, even if the list does not end: a part of it would look like lost browsers.
 */
export async function listBrowsers(binding: BrowserBinding): Promise<Map<string, number | undefined>> {
  let browsers = new Map<string, number | undefined>();
  let offset = 0;
  for (let page = 0; page < MAX_LIST_PAGES; page += 1) {
    const path = `/v1/sessions?limit=${LIST_PAGE_SIZE}&offset=${offset}`;
    const { response, text } = await readAnswer(binding, path, {});
    if (!response.ok) throw toUnavailable(response, text);
    const { sessions } = listedSchema.parse(parseJSON(text));
    const [first] = sessions;
    if (offset > 0 && (first === undefined || !browsers.has(first.sessionId))) {
      // More browsers ended than the pages overlap, so some before this page may have been missed.
      browsers = new Map();
      offset = 0;
      continue;
    }
    const before = browsers.size;
    for (const { sessionId, startTime } of sessions) browsers.set(sessionId, startTime);
    // A short page may be due to the platform's own limit, so only a page with nothing new is the end.
    if (browsers.size === before) return browsers;
    offset += sessions.length - Math.min(MAX_LIST_OVERLAP, Math.ceil(sessions.length / 2));
  }
  throw new BrowserUnavailableError("failure", "The platform's list of browsers does not end", 5);
}

/** @returns undefined when the platform does not report its limits. @throws BrowserUnavailableError */
export async function readLimits(binding: BrowserBinding): Promise<PlatformLimits | undefined> {
  const { response, text } = await readAnswer(binding, "/v1/limits", {});
  if (response.status === 404) return undefined;
  if (!response.ok) throw toUnavailable(response, text);
  const limits = limitsSchema.safeParse(parseJSON(text)).data;
  return (
    limits && {
      maxBrowsers: limits.maxConcurrentSessions,
      running: limits.activeSessions.flatMap(({ id, sessionId }) => id ?? sessionId ?? []),
      allowedLaunches: limits.allowedBrowserAcquisitions,
      nextLaunchInMs: limits.timeUntilNextAllowedBrowserAcquisition,
    }
  );
}

/** Separates the name of another account from the platform's id of a browser. */
export const ACCOUNT_SEPARATOR = "~";

function platformId(browserId: string): string {
  return browserId.slice(browserId.indexOf(ACCOUNT_SEPARATOR) + 1);
}

function browserPath(browserId: string): string {
  return `/v1/devtools/browser/${encodeURIComponent(platformId(browserId))}`;
}

async function readAnswer(
  binding: BrowserBinding,
  path: string,
  init: RequestInit,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<{ response: Response; text: string }> {
  return withTimeout(timeoutMs, async (signal) => {
    const response = await binding.fetch(`${ORIGIN}${path}`, { ...init, signal });
    return { response, text: await response.text() };
  });
}

async function withTimeout<T>(timeoutMs: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  // AbortSignal.timeout would also fire after the answer and close its socket.
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await call(limit.signal);
  } catch (error) {
    throw new BrowserUnavailableError("failure", "The browser platform does not answer", 5, error);
  } finally {
    clearTimeout(timer);
  }
}

function toUnavailable(response: Response, text: string): BrowserUnavailableError {
  const given = Number(response.headers.get("retry-after"));
  const retryAfterSeconds = Number.isFinite(given) && given > 0 ? given : 5;
  const cause = new Error(`${response.status} ${text.slice(0, 500)}`);
  const isLimit = response.status === 429;
  const message = isLimit
    ? "The platform's browser limit is reached"
    : "The platform could not provide the browser";
  return new BrowserUnavailableError(isLimit ? "limit" : "failure", message, retryAfterSeconds, cause);
}
