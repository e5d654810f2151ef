import { once } from "node:events";
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { listen } from "../outside/local-server.ts";
import { makeSelfSigned, type SelfSigned } from "./self-signed.ts";

/** The `via` header of forwarded plain requests. */
export const PROXY_MARKER = "berth-test-proxy";

const HOP_BY_HOP_HEADERS = ["proxy-authorization", "proxy-connection", "connection", "keep-alive"];

export interface Endpoint {
  host: string;
  port: number;
}

export interface ProxyServerOptions {
  /** The address to listen on; 127.0.0.1 by default. */
  host?: string;
  /** Required of clients by Basic authentication. */
  credentials?: { username: string; password: string };
  /** Makes the proxy itself serve TLS. */
  tls?: boolean | SelfSigned;
  /** Maps hosts to endpoints, such as made-up names to local servers. */
  resolve?: (host: string, port: number) => Endpoint;
}

/** A received request, also if it was rejected. */
export interface ProxyRequest {
  kind: "http" | "connect";
  method: string;
  /** An absolute URL, or host and port for CONNECT. */
  target: string;
  host: string;
  port: number;
  headers: Record<string, string>;
  authorized: boolean;
}

/** `reset` closes new connections immediately, `forbid` responds with 403. */
export type ProxyMode = "serve" | "reset" | "forbid";

export interface ProxyServer extends AsyncDisposable {
  protocol: "http" | "https";
  host: string;
  port: number;
  /** The proxy's URL without credentials. */
  server: string;
  /** Only with TLS. */
  certificate?: SelfSigned;
  requests: ProxyRequest[];
  /** The number of open connections with clients, and with the targets of tunnels. */
  readonly connections: number;
  setMode(mode: ProxyMode): void;
  /** Delays every later request. */
  setDelay(ms: number): void;
  /** Closes all connections and tunnels, and accepts new ones. */
  killConnections(): void;
  /** Closes all connections and stops listening. */
  stop(): Promise<void>;
}

/** Starts a local HTTP proxy for absolute-form requests and CONNECT tunnels. */
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

  /** Records and delays a request. @returns its endpoint or a rejection. */
  async function admit(kind: ProxyRequest["kind"], message: IncomingMessage): Promise<Admission> {
    const request = toRequest(kind, message, credentials);
    requests.push(request);
    if (delayMs > 0) await setTimeout(delayMs, undefined, { signal: stopped.signal, ref: false });
    if (mode === "forbid") return { rejection: { status: "403 Forbidden", headers: {} } };
    if (!request.authorized) {
      const headers = { "Proxy-Authenticate": 'Basic realm="berth test"' };
      return { rejection: { status: "407 Proxy Authentication Required", headers } };
    }
    return { endpoint: resolve(request.host, request.port) };
  }

  async function forward(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { rejection, endpoint } = await admit("http", message);
    if (rejection !== undefined) {
      response.writeHead(Number.parseInt(rejection.status, 10), rejection.headers).end();
      return;
    }
    const url = new URL(message.url ?? "");
    const headers = Object.fromEntries(
      Object.entries(message.headers).filter(([name]) => !HOP_BY_HOP_HEADERS.includes(name)),
    );
    const upstream = requestHttp({
      ...endpoint,
      method: message.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, via: PROXY_MARKER },
      agent: false,
    });
    upstream.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.on("close", () => upstream.destroy());
    message.pipe(upstream);
  }

  async function tunnel(message: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on("error", () => client.destroy());
    const { rejection, endpoint } = await admit("connect", message);
    if (rejection !== undefined) {
      const lines = Object.entries(rejection.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      client.end(`HTTP/1.1 ${rejection.status}\r\n${lines.join("")}Content-Length: 0\r\n\r\n`);
      return;
    }
    const upstream: Socket = connect(endpoint);
    let established = false;
    track(upstream);
    upstream.on("error", () => {
      if (!established) client.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
    });
    upstream.once("connect", () => {
      established = true;
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.end());
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
  const port = await listen(server, ownHost);
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
    port,
    server: `${protocol}://${ownHost.includes(":") ? `[${ownHost}]` : ownHost}:${port}`,
    ...(certificate && { certificate }),
    requests,
    get connections() {
      return sockets.size;
    },
    setMode: (value) => {
      mode = value;
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
  | { rejection: { status: string; headers: Record<string, string> }; endpoint?: undefined }
  | { rejection?: undefined; endpoint: Endpoint };

function toRequest(
  kind: ProxyRequest["kind"],
  message: IncomingMessage,
  credentials: ProxyServerOptions["credentials"],
): ProxyRequest {
  const target = message.url ?? "";
  const url = new URL(kind === "connect" ? `http://${target}` : target);
  const expected = credentials && `${credentials.username}:${credentials.password}`;
  const received = message.headers["proxy-authorization"];
  return {
    kind,
    method: message.method ?? "",
    target,
    host: url.hostname,
    port: Number(url.port || "80"),
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
    ),
    authorized: expected === undefined || received === `Basic ${Buffer.from(expected).toString("base64")}`,
  };
}
