import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Address } from "./address.ts";

/** The runtime would respond to CONNECT with an empty 500. */
const CONNECT = Buffer.from("CONNECT ");
const CONNECT_BODY = JSON.stringify({ code: "method_not_allowed", message: "This service is not a proxy" });
const CONNECT_REFUSAL = [
  "HTTP/1.1 405 Method Not Allowed",
  "Content-Type: application/json",
  `Content-Length: ${CONNECT_BODY.length}`,
  "Allow: GET, POST, PATCH, PUT, DELETE, OPTIONS",
  "Connection: close",
  "",
  CONNECT_BODY,
].join("\r\n");

/**
 * Forwards connections to the local runtime, and resets them when the client closes its side. The runtime detects only
 * resets while it is sending a response.
 */
export class TCPRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(runtime: { readonly port: number }) {
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (client) =>
      this.#relay(client, runtime.port),
    );
  }

  /** @param runtime its port on the loopback address may change. */
  static async listen(
    { host, port }: Pick<Address, "host" | "port">,
    runtime: { readonly port: number },
  ): Promise<TCPRelay> {
    const relay = new TCPRelay(runtime);
    relay.#server.listen(port, host);
    await once(relay.#server, "listening");
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The relay has no port");
    return address.port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  #relay(client: Socket, port: number): void {
    const runtime = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    for (const socket of [client, runtime]) {
      this.#sockets.add(socket);
      // "close" follows.
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
    }
    client.on("end", () => runtime.resetAndDestroy());
    client.on("close", () => runtime.resetAndDestroy());
    runtime.on("close", (hadError) => (hadError ? client.resetAndDestroy() : client.end()));
    client.once("data", (first: Buffer) => {
      if (first.subarray(0, CONNECT.length).equals(CONNECT)) {
        client.end(CONNECT_REFUSAL);
        return;
      }
      runtime.write(first);
      client.pipe(runtime, { end: false });
    });
    runtime.pipe(client);
  }
}
