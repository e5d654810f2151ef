import { withoutCallerHeaders } from "./caller-headers.ts";
import { NetworkRefusedError } from "./network-error.ts";

export interface OutgoingRequest {
  /** Without credentials, which are in the headers. */
  url: URL;
  method: string;
  headers: Headers;
  body?: Uint8Array;
}

const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

const FORBIDDEN_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);

/** Connection headers. `Host` would reach a site that was not checked, and `Upgrade` would leave HTTP. */
const FORBIDDEN_HEADERS = [
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

export function prepareRequest(
  address: string,
  request: { method?: string; headers?: HeadersInit; body?: string | Uint8Array },
): OutgoingRequest {
  const method = parseMethod(request.method ?? "GET");
  const body = request.body?.length ? encodeBody(request.body) : undefined;
  if (body !== undefined && (method === "GET" || method === "HEAD")) {
    throw new NetworkRefusedError("invalid_request", `a ${method} request cannot carry data here`);
  }
  const headers = parseHeaders(request.headers);
  // Otherwise the platform negotiates compression, and the body differs from the bytes of the server.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");

  const url = parseUrl(address);
  return { ...withCredentials(url, headers), method, body };
}

export function withCredentials(address: URL, given: Headers): { url: URL; headers: Headers } {
  const url = new URL(address);
  const headers = new Headers(given);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if ((username || password) && !headers.has("authorization")) {
    headers.set("authorization", `Basic ${btoa(`${percentDecode(username)}:${percentDecode(password)}`)}`);
  }
  return { url, headers };
}

/** @throws NetworkRefusedError `invalid_request` */
export function parseUrl(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) {
    throw new NetworkRefusedError("invalid_request", `${address} is not a valid URL`);
  }
  return new URL(address, base?.href);
}

function parseMethod(method: string): string {
  const upperCase = method.toUpperCase();
  if (!TOKEN.test(method) || FORBIDDEN_METHODS.has(upperCase)) {
    throw new NetworkRefusedError("invalid_request", `method ${JSON.stringify(method)} cannot be sent`);
  }
  return upperCase;
}

function parseHeaders(given?: HeadersInit): Headers {
  try {
    const headers = withoutCallerHeaders(given);
    for (const name of FORBIDDEN_HEADERS) headers.delete(name);
    return headers;
  } catch {
    throw new NetworkRefusedError("invalid_request", "the name or value of a header is invalid");
  }
}

function encodeBody(body: string | Uint8Array): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

/** Decodes to one character per byte, as `btoa` expects. */
function percentDecode(part: string): string {
  return part.replace(/%([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
