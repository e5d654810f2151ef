import { Deadline } from "./deadline.ts";
import { type DestinationRules, requireDestination } from "./destination.ts";
import { hostOf, portOf } from "./network-access.ts";
import { NetworkFailedError } from "./network-error.ts";
import { nextRequest } from "./redirect.ts";
import { prepareRequest, type SentRequest } from "./sent-request.ts";

export interface GuardOptions extends DestinationRules {
  /** What sends; the platform's unless given. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The most redirects that any request follows. */
  maxRedirects: number;
  maxResponseBytes: number;
  /** The longest that any request may take, redirects and the whole of its answer included. */
  timeoutMs: number;
}

export interface GuardedRequest {
  /** GET unless given. */
  method?: string;
  headers?: HeadersInit;
  /** Sent anew where a redirect keeps the method. */
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** True unless given. */
  followRedirects?: boolean;
  /** Never more than the guard's own. */
  maxRedirects?: number;
  /** Never longer than the guard's own. */
  timeoutMs?: number;
}

export interface GuardedResponse {
  status: number;
  statusText: string;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  /** The address that answered, after redirects, without credentials. */
  url: string;
}

/**
 * Makes a request on somebody's behalf.
 *
 * @throws NetworkRefusedError for what may not be asked for, before anything of it is sent.
 * @throws NetworkFailedError for what got no whole answer.
 * @throws the signal's reason.
 */
export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedResponse>;

/**
 * A fetch for requests that users choose. Each address that it goes to, redirects included, is looked at first; see
 * {@link requireDestination}.
 */
export function newGuardedFetch(options: GuardOptions): GuardedFetch {
  const send = options.fetch ?? ((url, init) => fetch(url, init));

  return async (address, request = {}) => {
    const timeoutMs = Math.min(request.timeoutMs ?? Number.POSITIVE_INFINITY, options.timeoutMs);
    const maxRedirects = Math.min(request.maxRedirects ?? Number.POSITIVE_INFINITY, options.maxRedirects);
    const deadline = new Deadline(timeoutMs, request.signal);
    try {
      let current = prepareRequest(address, request);
      for (let redirects = 0; ; redirects++) {
        await deadline.limit(requireDestination(current.url, options));
        const response = await deadline.limit(sendOnce(current, send, deadline.signal));
        const next = request.followRedirects === false ? undefined : nextRequest(current, response);
        if (!next) return await readResponse(response, current, options.maxResponseBytes, deadline);

        discard(response);
        if (redirects === maxRedirects) {
          throw new NetworkFailedError("too_many_redirects", `Too many redirects (most: ${maxRedirects})`);
        }
        current = next;
      }
    } finally {
      deadline.clear();
    }
  };
}

async function sendOnce(
  { url, method, headers, body }: SentRequest,
  send: NonNullable<GuardOptions["fetch"]>,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await send(url.href, { method, headers, body, signal, redirect: "manual" });
  } catch (cause) {
    const message = `Failed to connect to ${hostOf(url)} port ${portOf(url)}`;
    throw new NetworkFailedError("unreachable", message, { cause });
  }
}

async function readResponse(
  response: Response,
  { url, method }: SentRequest,
  maxBytes: number,
  deadline: Deadline,
): Promise<GuardedResponse> {
  const declaredBytes = method === "HEAD" ? 0 : Number(response.headers.get("content-length") ?? 0);
  const body = await readBody(response, declaredBytes, maxBytes, deadline);
  const headers = new Headers(response.headers);
  if (/^(gzip|br)$/i.test(headers.get("content-encoding") ?? "")) {
    // The platform has decompressed the body, so these no longer tell of it.
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  return { status: response.status, statusText: response.statusText, headers, body, url: url.href };
}

async function readBody(
  response: Response,
  declaredBytes: number,
  maxBytes: number,
  deadline: Deadline,
): Promise<Uint8Array<ArrayBuffer>> {
  if (declaredBytes > maxBytes) {
    discard(response);
    throw tooLarge(maxBytes);
  }
  if (!response.body) return new Uint8Array();

  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await deadline.limit(reader.read());
      if (done) break;
      length += value.byteLength;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel(error).catch(() => {});
    if (error instanceof NetworkFailedError || deadline.signal.aborted) throw error;
    throw new NetworkFailedError("unreachable", "The connection broke before the whole answer was there", {
      cause: error,
    });
  }

  const body = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return body;
}

function tooLarge(maxBytes: number): NetworkFailedError {
  return new NetworkFailedError("response_too_large", `The response is larger than ${maxBytes} bytes`);
}

/** Lets go of a connection whose answer nobody reads. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}
