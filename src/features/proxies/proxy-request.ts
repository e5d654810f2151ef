import { parseHeaderLine } from "../../lib/http/header-line.ts";
import { NetworkFailedError } from "../../platform/network/network-error.ts";
import { ByteReader } from "./byte-reader.ts";
import { type ProxyEndpoint, toAuthority } from "./proxy-endpoint.ts";

const MAX_RESPONSE_BYTES = 64 * 1024;

export interface ProxyConnection {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
}

export interface ProxyResponse {
  status: number;
  /** Empty for a tunnel. */
  body: string;
}

/**
 * Sends a GET in absolute form for an http target, or a CONNECT for an https one. The HTTP is our own because
 * the platform's fetch supports no proxies. Redirects are not followed.
 *
 * @throws NetworkFailedError
 */
export async function requestThroughProxy(
  { readable, writable }: ProxyConnection,
  credentials: ProxyEndpoint["credentials"],
  target: URL,
  signal: AbortSignal,
): Promise<ProxyResponse> {
  const isTunnel = target.protocol === "https:";
  const reader = new ByteReader(readable, MAX_RESPONSE_BYTES);
  const cancel = () => reader.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode(serializeRequest(target, isTunnel, credentials)));
    writer.releaseLock();
    return await readResponse(reader, isTunnel);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof NetworkFailedError) throw cause;
    throw new NetworkFailedError("unreachable", "The connection to the proxy broke", { cause });
  } finally {
    signal.removeEventListener("abort", cancel);
    reader.cancel();
  }
}

function serializeRequest(target: URL, isTunnel: boolean, credentials: ProxyEndpoint["credentials"]): string {
  const tunnelHost = toAuthority({
    host: target.hostname.replace(/^\[|\]$/g, ""),
    port: Number(target.port || "443"),
  });
  const lines = isTunnel
    ? [`CONNECT ${tunnelHost} HTTP/1.1`, `Host: ${tunnelHost}`]
    : [
        `GET ${target.origin}${target.pathname}${target.search} HTTP/1.1`,
        `Host: ${target.host}`,
        "Accept: */*",
        "Accept-Encoding: identity",
        "Connection: close",
      ];
  lines.push("User-Agent: berth");
  if (credentials !== undefined) lines.push(`Proxy-Authorization: Basic ${toBasic(credentials)}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function toBasic({ username, password }: NonNullable<ProxyEndpoint["credentials"]>): string {
  return new TextEncoder().encode(`${username}:${password}`).toBase64();
}

async function readResponse(reader: ByteReader, isTunnel: boolean): Promise<ProxyResponse> {
  let { status, headers } = await readHead(reader);
  while (status < 200) ({ status, headers } = await readHead(reader));
  const hasNoBody = isTunnel || status === 204 || status === 304;
  const bytes = hasNoBody ? new Uint8Array() : await readBody(reader, headers);
  return { status, body: new TextDecoder().decode(bytes) };
}

async function readHead(reader: ByteReader): Promise<{ status: number; headers: Headers }> {
  const status = /^HTTP\/1\.[01] (\d{3})( |$)/.exec(await reader.readLine())?.[1];
  if (status === undefined) throw notHttp();
  const headers = new Headers();
  for (let line = await reader.readLine(); line !== ""; line = await reader.readLine()) {
    const header = parseHeaderLine(line);
    if (header === undefined) throw notHttp();
    // Headers may reject the value of another header.
    if (/^(content-length|transfer-encoding)$/i.test(header.name)) headers.append(header.name, header.value);
  }
  return { status: Number(status), headers };
}

async function readBody(reader: ByteReader, headers: Headers): Promise<Uint8Array> {
  const encoding = headers.get("transfer-encoding");
  if (encoding !== null) {
    if (encoding.toLowerCase() !== "chunked") throw notHttp();
    return readChunks(reader);
  }
  const length = headers.get("content-length");
  if (length === null) return reader.readToEnd();
  if (!/^\d{1,15}$/.test(length)) throw notHttp();
  return reader.readBytes(Number(length));
}

async function readChunks(reader: ByteReader): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const size = /^([\da-f]{1,8})[ \t]*(;.*)?$/i.exec(await reader.readLine())?.[1];
    if (size === undefined) throw notHttp();
    const length = Number.parseInt(size, 16);
    if (length === 0) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    chunks.push(await reader.readBytes(length));
    if ((await reader.readLine()) !== "") throw notHttp();
  }
}

function notHttp(): NetworkFailedError {
  return new NetworkFailedError("unreachable", "The proxy does not respond with valid HTTP");
}
