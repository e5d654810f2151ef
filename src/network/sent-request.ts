import { NetworkRefusedError } from "./network-error.ts";

/** One request as it goes out. */
export interface SentRequest {
  /** Without credentials: they are in the headers. */
  url: URL;
  method: string;
  headers: Headers;
  body?: Uint8Array;
}

const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/** Methods that fetch does not send: they concern the connection itself, or hand back what was sent. */
const METHODS_NOT_SENT = new Set(["CONNECT", "TRACE", "TRACK"]);

/**
 * Headers that belong to a connection and not to whoever asks. `Host` would reach another site than the one that was
 * checked, and `Upgrade` would leave HTTP.
 */
const HEADERS_NOT_SENT = [
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/**
 * Makes a request of what somebody asks for.
 *
 * @throws NetworkRefusedError `invalid_request`
 */
export function prepareRequest(
  address: string,
  request: { method?: string; headers?: HeadersInit; body?: string | Uint8Array },
): SentRequest {
  const method = checkedMethod(request.method ?? "GET");
  const body = request.body?.length ? bytesOf(request.body) : undefined;
  if (body !== undefined && (method === "GET" || method === "HEAD")) {
    throw new NetworkRefusedError("invalid_request", `a ${method} request cannot carry data here`);
  }
  const headers = checkedHeaders(request.headers);
  // Without, the platform asks for compression and undoes it; with, the bytes are those of the server.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");

  const url = checkedUrl(address);
  return { ...withCredentials(url, headers), method, body };
}

/**
 * Moves a URL's user and password into the Authorization header, which never goes on to another origin, unless there
 * is one that was given as such.
 */
export function withCredentials(address: URL, given: Headers): { url: URL; headers: Headers } {
  const url = new URL(address);
  const headers = new Headers(given);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if ((username || password) && !headers.has("authorization")) {
    headers.set("authorization", `Basic ${btoa(`${byteString(username)}:${byteString(password)}`)}`);
  }
  return { url, headers };
}

/** @throws NetworkRefusedError `invalid_request` */
export function checkedUrl(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) {
    throw new NetworkRefusedError("invalid_request", `${address} is not a valid URL`);
  }
  return new URL(address, base?.href);
}

function checkedMethod(method: string): string {
  const upperCase = method.toUpperCase();
  if (!TOKEN.test(method) || METHODS_NOT_SENT.has(upperCase)) {
    throw new NetworkRefusedError("invalid_request", `method ${JSON.stringify(method)} cannot be sent`);
  }
  return upperCase;
}

function checkedHeaders(given?: HeadersInit): Headers {
  try {
    const headers = new Headers(given);
    for (const name of HEADERS_NOT_SENT) headers.delete(name);
    return headers;
  } catch {
    throw new NetworkRefusedError("invalid_request", "a header's name or value cannot be sent");
  }
}

/** Of text, fetch would tell a content type that nobody gave. */
function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

/** A part of a URL with its escapes undone, one character for each byte. */
function byteString(part: string): string {
  return part.replace(/%([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
