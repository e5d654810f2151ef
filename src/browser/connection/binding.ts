import { z } from "zod";

/** The binding wants absolute URLs; the host means nothing to it. */
const ORIGIN = "https://browser.invalid";

/** Longest wait for an answer of the platform's, and for a launch. */
const ANSWER_LIMIT_MS = 10_000;
const LAUNCH_LIMIT_MS = 60_000;

const acquiredSchema = z.object({ sessionId: z.string() });
const listedSchema = z.object({
  sessions: z.array(z.object({ sessionId: z.string(), startTime: z.number().optional() })),
});

/** Why the platform gave no browser. */
export class BrowserUnavailableError extends Error {
  override readonly name = "BrowserUnavailableError";
  /** `limit`: the account has as many browsers, or launches them as fast, as it may. */
  readonly kind: "limit" | "failure";
  readonly retryAfterSeconds: number;

  constructor(kind: "limit" | "failure", message: string, retryAfterSeconds: number, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Launches a browser and answers with the platform's id of it.
 *
 * @param keepAliveMs how long the platform lets it live without a command.
 * @throws BrowserUnavailableError when the platform refuses, or its answer cannot be read.
 */
export async function acquireBrowser(binding: BrowserRun, keepAliveMs: number): Promise<string> {
  const path = `/v1/devtools/browser?keep_alive=${keepAliveMs}`;
  const { response, text } = await readAnswer(binding, path, { method: "POST" }, LAUNCH_LIMIT_MS);
  if (!response.ok) throw toUnavailable(response, text);
  const parsed = acquiredSchema.safeParse(parseJSON(text));
  if (!parsed.success)
    throw new BrowserUnavailableError("failure", "The platform's answer names no browser", 5);
  return parsed.data.sessionId;
}

/**
 * Opens one more DevTools socket to a browser, or to one page of it. The socket is accepted.
 *
 * @throws BrowserUnavailableError when the browser is gone or the platform refuses.
 */
export async function openDevToolsSocket(
  binding: BrowserRun,
  browserId: string,
  pageId?: string,
): Promise<WebSocket> {
  const page = pageId === undefined ? "" : `/page/${encodeURIComponent(pageId)}`;
  const url = `${ORIGIN}${browserPath(browserId)}${page}`;
  const { response, text } = await withinLimit(ANSWER_LIMIT_MS, async (signal) => {
    const response = await binding.fetch(url, { headers: { upgrade: "websocket" }, signal });
    return { response, text: response.webSocket === null ? await response.text() : "" };
  });
  const socket = response.webSocket;
  if (socket === null) throw toUnavailable(response, text);
  socket.accept();
  return socket;
}

/** Closes a browser. One that is gone already is fine. */
export async function closeBrowser(binding: BrowserRun, browserId: string): Promise<void> {
  const { response, text } = await readAnswer(binding, browserPath(browserId), { method: "DELETE" });
  if (!response.ok && response.status !== 404 && response.status !== 410) throw toUnavailable(response, text);
}

/** The documents that a browser's DevTools server has under `/json/`. */
export type DevToolsDocument = "version" | "list" | "protocol";

/** A document of a browser's DevTools server, as JSON text. */
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
 * Whether the platform says of a browser that there is none. Its list says so seconds after a launch, too.
 *
 * @throws BrowserUnavailableError when the platform does not answer, or in another way.
 */
export async function isBrowserGone(binding: BrowserRun, browserId: string): Promise<boolean> {
  const { response, text } = await readAnswer(binding, `${browserPath(browserId)}/json/version`, {});
  if (response.ok) return false;
  if (response.status === 404 || response.status === 410) return true;
  throw toUnavailable(response, text);
}

/**
 * Every browser of the account, Berth's and others': when it was launched, in milliseconds since the epoch, by its id;
 * undefined where the platform does not say.
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

/** An answer and its text, both within the time limit. */
async function readAnswer(
  binding: BrowserRun,
  path: string,
  init: RequestInit,
  limitMs = ANSWER_LIMIT_MS,
): Promise<{ response: Response; text: string }> {
  return withinLimit(limitMs, async (signal) => {
    const response = await binding.fetch(`${ORIGIN}${path}`, { ...init, signal });
    return { response, text: await response.text() };
  });
}

async function withinLimit<T>(limitMs: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  // Not AbortSignal.timeout: it would go off after the answer too, and close the socket that the answer brought.
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`no answer within ${limitMs} ms`)), limitMs);
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
  const said = new Error(`${response.status} ${text.slice(0, 500)}`);
  return response.status === 429
    ? new BrowserUnavailableError("limit", "The platform's browser limit is reached", retryAfterSeconds, said)
    : new BrowserUnavailableError(
        "failure",
        "The platform could not provide the browser",
        retryAfterSeconds,
        said,
      );
}

function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
