import { hostOf, portOf } from "network-rules";
import { concatenate } from "../../lib/common/concatenate.ts";
import { Deadline } from "./deadline.ts";
import { type DestinationRules, requireAllowedDestination } from "./destination.ts";
import { NetworkFailedError } from "./network-error.ts";
import { type OutgoingRequest, prepareRequest } from "./outgoing-request.ts";
import { nextRequest } from "./redirect.ts";

export interface GuardOptions extends DestinationRules {
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  maxRedirects: number;
  maxResponseBytes: number;
  timeoutMs: number;
}

export interface GuardedRequest {
  method?: string;
  headers?: HeadersInit;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** True by default. */
  followRedirects?: boolean;
  /** Capped by the guard's own limit. */
  maxRedirects?: number;
  /** Capped by the guard's own limit. */
  timeoutMs?: number;
}

export interface GuardedResponse {
  status: number;
  statusText: string;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  url: string;
}

/** @throws NetworkRefusedError, NetworkFailedError, and the reason of the signal. */
export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedResponse>;

/** A fetch for URLs of users. Each, also of a redirect, is checked with {@link requireAllowedDestination}. */
export function newGuardedFetch(options: GuardOptions): GuardedFetch {
  const send = options.fetch ?? ((url, init) => fetch(url, init));

  return async (address, request = {}) => {
    const timeoutMs = Math.min(request.timeoutMs ?? Number.POSITIVE_INFINITY, options.timeoutMs);
    const maxRedirects = Math.min(request.maxRedirects ?? Number.POSITIVE_INFINITY, options.maxRedirects);
    const deadline = new Deadline(timeoutMs, request.signal);
    try {
      let current = prepareRequest(address, request);
      for (let redirects = 0; ; redirects++) {
        await deadline.limit(requireAllowedDestination(current.url, options));
        const response = await deadline.limit(sendRequest(current, send, deadline.signal));
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

async function sendRequest(
  { url, method, headers, body }: OutgoingRequest,
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
  { url, method }: OutgoingRequest,
  maxBytes: number,
  deadline: Deadline,
): Promise<GuardedResponse> {
  const declaredBytes = method === "HEAD" ? 0 : Number(response.headers.get("content-length") ?? 0);
  const body = await readBody(response, declaredBytes, maxBytes, deadline);
  const headers = new Headers(response.headers);
  if (/^(gzip|br)$/i.test(headers.get("content-encoding") ?? "")) {
    // The platform has decompressed the body.
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
    const message = "The connection was closed before the response was complete";
    throw new NetworkFailedError("unreachable", message, { cause: error });
  }
  return concatenate(chunks);
}

function tooLarge(maxBytes: number): NetworkFailedError {
  return new NetworkFailedError("response_too_large", `The response is larger than ${maxBytes} bytes`);
}

/** Frees the connection of a response that is not read. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}
