import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { allows, hostOf, isAddress, isPublicAddress, type NetworkAccess, portOf } from "network-rules";

const CONNECT_TIMEOUT_MS = 20_000;
const IDLE_TIMEOUT_MS = 600_000;
/** Of one sandbox. */
const MAX_CONNECTIONS = 256;

const HOP_BY_HOP = ["connection", "keep-alive", "proxy-authorization", "proxy-connection", "te", "upgrade"];

/** Where a sandbox may connect to. */
export interface NetworkRules {
  access: NetworkAccess;
  allowPrivateAddresses: boolean;
}

type Resolve = (host: string) => Promise<string[]>;

class RefusedDestination extends Error {
  override readonly name = "RefusedDestination";
}

/**
 * The only way from a sandbox to the network: an HTTP proxy behind a Unix socket. It connects to the address
 * that it has checked, so that a name cannot change in between.
 */
export class Forwarder {
  /** Nothing is allowed until they are set. */
  rules: NetworkRules = { access: "none", allowPrivateAddresses: false };
  readonly #server: Server;
  readonly #resolve: Resolve;

  constructor(resolve: Resolve = resolveName) {
    this.#resolve = resolve;
    this.#server = createServer((incoming, answer) => void this.#forward(incoming, answer));
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on("connect", (incoming, client: Duplex, first: Buffer) => {
      client.unshift(first);
      void this.#tunnel(incoming.url ?? "", client);
    });
  }

  async listen(socketPath: string): Promise<void> {
    await once(this.#server.listen(socketPath), "listening");
    chmodSync(socketPath, 0o666);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #tunnel(authority: string, client: Duplex): Promise<void> {
    client.on("error", () => client.destroy());
    try {
      const target = await this.#connect(new URL(`https://${authority}`));
      // The client may have left while it connected.
      if (client.destroyed) return void target.destroy();
      target.on("close", () => client.destroy());
      client.on("close", () => target.destroy());
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(target).pipe(client);
    } catch (error) {
      const { status, text } = describe(error);
      client.end(
        `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
      );
    }
  }

  async #forward(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    try {
      const url = new URL(incoming.url ?? "");
      const socket = await this.#connect(url);
      if (answer.destroyed) return void socket.destroy();
      const headers = Object.entries(incoming.headers).filter(([name]) => !HOP_BY_HOP.includes(name));
      const outgoing = request({
        createConnection: () => socket,
        method: incoming.method,
        path: `${url.pathname}${url.search}`,
        headers: { ...Object.fromEntries(headers), host: url.host, connection: "close" },
      });
      const breakOff = () => answer.destroy();
      outgoing.on("response", (response) => {
        const { statusCode = 0, headers } = response;
        // Node reads lower ones, too, but throws when it should write them.
        if (statusCode >= 200) pipeline(response, answer.writeHead(statusCode, headers), () => undefined);
        else breakOff();
      });
      outgoing.on("upgrade", breakOff);
      outgoing.on("error", breakOff);
      answer.on("close", () => socket.destroy());
      incoming.pipe(outgoing);
    } catch (error) {
      const { status, text } = describe(error);
      answer.writeHead(Number.parseInt(status, 10), { "content-type": "text/plain" }).end(text);
    }
  }

  /** @throws RefusedDestination */
  async #connect(url: URL): Promise<Socket> {
    const { access, allowPrivateAddresses } = this.rules;
    if (url.protocol !== "http:" && url.protocol !== "https:")
      throw new RefusedDestination(`${url.protocol} is neither http: nor https:`);
    const host = hostOf(url);
    if (access === "none") throw new RefusedDestination("network access is off (setting MACHINE_NETWORK)");
    if (!allows(access, url))
      throw new RefusedDestination(`host ${host} is not among those allowed (setting MACHINE_NETWORK)`);
    const plain = host.replace(/^\[|\]$/g, "");
    const addresses = isAddress(plain) ? [plain] : await this.#resolve(plain);
    if (!allowPrivateAddresses && !addresses.every(isPublicAddress))
      throw new RefusedDestination(`host ${host} has a private address`);
    const [address] = addresses;
    if (address === undefined) throw new Error(`host ${host} has no address`);
    const socket = connect({ host: address, port: portOf(url), timeout: CONNECT_TIMEOUT_MS });
    socket.once("timeout", () => socket.destroy(new Error("timed out")));
    await once(socket, "connect");
    // Its errors also end it, which callers see.
    socket.on("error", () => undefined);
    socket.setTimeout(IDLE_TIMEOUT_MS);
    return socket;
  }
}

/** Unlike the system's own, it does not wait for others in one of few threads. */
const resolver = new Resolver({ timeout: CONNECT_TIMEOUT_MS / 4, tries: 2 });

async function resolveName(host: string): Promise<string[]> {
  const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  if (addresses.length === 0) throw new Error(`host ${host} is not known`);
  return addresses;
}

function describe(error: unknown): { status: string; text: string } {
  const text = `${error instanceof Error ? error.message : String(error)}\n`;
  return { status: error instanceof RefusedDestination ? "403 Forbidden" : "502 Bad Gateway", text };
}
