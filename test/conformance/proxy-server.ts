import { once } from "node:events";
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { makeSelfSigned, type SelfSigned } from "./self-signed.ts";

/** What the origin finds in its `via` header when a plain request has come through the proxy. */
export const PROXY_MARKER = "berth-test-proxy";

/** What belongs to one connection, or to the proxy, and does not go on. */
const HEADERS_NOT_PASSED = ["proxy-authorization", "proxy-connection", "connection", "keep-alive"];

export interface Endpoint {
  host: string;
  port: number;
}

export interface ProxyServerOptions {
  /** The address of this machine that it listens on; 127.0.0.1 unless given. */
  host?: string;
  /** Wanted of clients, as HTTP's Basic authentication. */
  credentials?: { username: string; password: string };
  /** Whether clients speak TLS with the proxy itself. */
  tls?: boolean | SelfSigned;
  /** Where a host really is; the same place unless given. Made-up names lead to local servers by it. */
  resolve?: (host: string, port: number) => Endpoint;
}

/** One request, as the proxy got it, also where it was not let through. */
export interface ProxyRequest {
  kind: "http" | "connect";
  method: string;
  /** An absolute URL, or of CONNECT the host and port. */
  target: string;
  host: string;
  port: number;
  headers: Record<string, string>;
  /** Whether it brought the wanted credentials, or none are wanted. */
  authorized: boolean;
}

/** `reset`: connections break at once. `forbid`: each request gets a 403. */
export type ProxyMode = "serve" | "reset" | "forbid";

export interface ProxyServer extends AsyncDisposable {
  protocol: "http" | "https";
  host: string;
  port: number;
  /** The proxy's address without credentials, as browsers take it. */
  server: string;
  /** Of the proxy itself; only with TLS. */
  certificate?: SelfSigned;
  requests: ProxyRequest[];
  /** Open connections with clients, and of tunnels those with what they lead to. */
  readonly connections: number;
  setMode(mode: ProxyMode): void;
  /** Each request waits that long from now on. */
  setDelay(ms: number): void;
  /** Breaks every open connection and tunnel; new ones are taken. */
  killConnections(): void;
  /** Breaks every connection and takes no new ones. */
  stop(): Promise<void>;
}

/** A real HTTP proxy on this machine, for tests: requests in absolute form and CONNECT tunnels. */
export async function startProxyServer(options: ProxyServerOptions = {}): Promise<ProxyServer> {
  const {
    credentials,
    tls = false,
    host: ownHost = "127.0.0.1",
    resolve = (host, port) => ({ host, port }),
  } = options;
  const certificate = tls === true ? makeSelfSigned() : tls || undefined;
  const requests: ProxyRequest[] = [];
  const sockets = new Set<Duplex>();
  const stopped = new AbortController();
  let mode: ProxyMode = "serve";
  let delayMs = 0;

  /** Notes a request, waits as long as is set, and says what is wrong with it. */
  async function admit(kind: ProxyRequest["kind"], message: IncomingMessage): Promise<Admission> {
    const request = toRequest(kind, message, credentials);
    requests.push(request);
    if (delayMs > 0) await setTimeout(delayMs, undefined, { signal: stopped.signal, ref: false });
    if (mode === "forbid") return { refusal: { status: "403 Forbidden", headers: {} } };
    if (!request.authorized) {
      const headers = { "Proxy-Authenticate": 'Basic realm="berth test"' };
      return { refusal: { status: "407 Proxy Authentication Required", headers } };
    }
    return { endpoint: resolve(request.host, request.port) };
  }

  async function forward(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { refusal, endpoint } = await admit("http", message);
    if (refusal !== undefined) {
      response.writeHead(Number.parseInt(refusal.status, 10), refusal.headers).end();
      return;
    }
    const url = new URL(message.url ?? "");
    const headers = Object.fromEntries(
      Object.entries(message.headers).filter(([name]) => !HEADERS_NOT_PASSED.includes(name)),
    );
    const onward = requestHttp({
      ...endpoint,
      method: message.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, via: PROXY_MARKER },
      agent: false,
    });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.on("close", () => onward.destroy());
    message.pipe(onward);
  }

  async function tunnel(message: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on("error", () => client.destroy());
    const { refusal, endpoint } = await admit("connect", message);
    if (refusal !== undefined) {
      const lines = Object.entries(refusal.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      client.end(`HTTP/1.1 ${refusal.status}\r\n${lines.join("")}Content-Length: 0\r\n\r\n`);
      return;
    }
    const onward: Socket = connect(endpoint);
    let established = false;
    track(onward);
    onward.on("error", () => {
      if (!established) client.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
    });
    onward.once("connect", () => {
      established = true;
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.write(head);
      onward.pipe(client);
      client.pipe(onward);
    });
    client.on("close", () => onward.destroy());
    onward.on("close", () => client.end());
  }

  function track(socket: Duplex): void {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  }

  function killConnections(): void {
    for (const socket of sockets) socket.destroy();
  }

  const server = certificate
    ? createTlsServer({ cert: certificate.certificate, key: certificate.key })
    : createServer();
  server.on("connection", (socket: Socket) => {
    track(socket);
    if (mode === "reset") socket.resetAndDestroy();
  });
  server.on("request", (message: IncomingMessage, response: ServerResponse) => {
    forward(message, response).catch(() => response.destroy());
  });
  server.on("connect", (message: IncomingMessage, client: Duplex, head: Buffer) => {
    tunnel(message, client, head).catch(() => client.destroy());
  });
  server.listen(0, ownHost);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port");
  const protocol = certificate ? "https" : "http";

  async function stop(): Promise<void> {
    if (stopped.signal.aborted) return;
    stopped.abort();
    const closed = once(server, "close");
    server.close();
    killConnections();
    await closed;
  }

  return {
    protocol,
    host: ownHost,
    port: address.port,
    server: `${protocol}://${ownHost.includes(":") ? `[${ownHost}]` : ownHost}:${address.port}`,
    ...(certificate && { certificate }),
    requests,
    get connections() {
      return sockets.size;
    },
    setMode: (wanted) => {
      mode = wanted;
    },
    setDelay: (ms) => {
      delayMs = ms;
    },
    killConnections,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

type Admission =
  | { refusal: { status: string; headers: Record<string, string> }; endpoint?: undefined }
  | { refusal?: undefined; endpoint: Endpoint };

function toRequest(
  kind: ProxyRequest["kind"],
  message: IncomingMessage,
  credentials: ProxyServerOptions["credentials"],
): ProxyRequest {
  const target = message.url ?? "";
  const url = new URL(kind === "connect" ? `http://${target}` : target);
  const wanted = credentials && `${credentials.username}:${credentials.password}`;
  const given = message.headers["proxy-authorization"];
  return {
    kind,
    method: message.method ?? "",
    target,
    host: url.hostname,
    port: Number(url.port || "80"),
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
    ),
    authorized: wanted === undefined || given === `Basic ${Buffer.from(wanted).toString("base64")}`,
  };
}
