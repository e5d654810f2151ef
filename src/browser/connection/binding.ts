import { z } from "zod";

const ORIGIN = "https://browser.invalid";

const ANSWER_TIMEOUT_MS = 10_000;
const LAUNCH_TIMEOUT_MS = 60_000;

const acquiredSchema = z.object({ sessionId: z.string() });
const listedSchema = z.object({
  sessions: z.array(z.object({ sessionId: z.string(), startTime: z.number().optional() })),
});

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

/**
 * Launches a browser.
 *
 * @param keepAliveMs how long the platform keeps the browser without a command.
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
export async function acquireBrowser(binding: BrowserRun, keepAliveMs: number): Promise<string> {
  const path = `/v1/devtools/browser?keep_alive=${keepAliveMs}`;
  const { response, text } = await readAnswer(binding, path, { method: "POST" }, LAUNCH_TIMEOUT_MS);
  if (!response.ok) throw toUnavailable(response, text);
  const parsed = acquiredSchema.safeParse(parseJSON(text));
  if (!parsed.success)
    throw new BrowserUnavailableError("failure", "The platform's answer names no browser", 5);
  return parsed.data.sessionId;
}

export async function openDevToolsSocket(
  binding: BrowserRun,
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

/** Succeeds if the browser is already gone. */
export async function closeBrowser(binding: BrowserRun, browserId: string): Promise<void> {
  const { response, text } = await readAnswer(binding, browserPath(browserId), { method: "DELETE" });
  if (!response.ok && response.status !== 404 && response.status !== 410) throw toUnavailable(response, text);
}

export type DevToolsDocument = "version" | "list" | "protocol";

export async function readDevToolsDocument(
  binding: BrowserRun,
  browserId: string,
  document: DevToolsDocument,
): Promise<string> {
  const { response, text } = await readAnswer(binding, `${browserPath(browserId)}/json/${document}`, {});
  if (!response.ok) throw toUnavailable(response, text);
  return text;
}

/**
 * Asks the browser itself, because the platform's list lacks it for seconds after a launch.
 *
 * @throws BrowserUnavailableError when the platform's answer is unclear.
 */
export async function isBrowserGone(binding: BrowserRun, browserId: string): Promise<boolean> {
  const { response, text } = await readAnswer(binding, `${browserPath(browserId)}/json/version`, {});
  if (response.ok) return false;
  if (response.status === 404 || response.status === 410) return true;
  throw toUnavailable(response, text);
}

/**
 * Lists all browsers of the account by id, also other services'.
 *
 * @returns launch times in milliseconds since the epoch; undefined where unknown.
 */
export async function listBrowsers(binding: BrowserRun): Promise<Map<string, number | undefined>> {
  const { response, text } = await readAnswer(binding, "/v1/sessions", {});
  if (!response.ok) throw toUnavailable(response, text);
  const { sessions } = listedSchema.parse(parseJSON(text));
  return new Map(sessions.map(({ sessionId, startTime }) => [sessionId, startTime]));
}

function browserPath(browserId: string): string {
  return `/v1/devtools/browser/${encodeURIComponent(browserId)}`;
}

async function readAnswer(
  binding: BrowserRun,
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
  return response.status === 429
    ? new BrowserUnavailableError(
        "limit",
        "The platform's browser limit is reached",
        retryAfterSeconds,
        cause,
      )
    : new BrowserUnavailableError(
        "failure",
        "The platform could not provide the browser",
        retryAfterSeconds,
        cause,
      );
}

function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
