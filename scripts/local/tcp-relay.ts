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

/** Forwards connections to the local runtime's socket, and closes them when the client closes its side. */
export class TCPRelay {
  readonly #server: Server;
  readonly #clients = new Set<Socket>();

  private constructor(socketPath: string) {
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (client) =>
      this.#relay(client, socketPath),
    );
  }

  /** @param socketPath of the runtime. */
  static async listen({ host, port }: Pick<Address, "host" | "port">, socketPath: string): Promise<TCPRelay> {
    const relay = new TCPRelay(socketPath);
    await once(relay.#server.listen(port, host), "listening");
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The relay has no port");
    return address.port;
  }

  close(): void {
    this.#server.close();
    // The runtime's sockets follow.
    for (const client of this.#clients) client.resetAndDestroy();
  }

  #relay(client: Socket, socketPath: string): void {
    const runtime = connect({ path: socketPath, allowHalfOpen: true });
    for (const socket of [client, runtime]) {
      // "close" follows.
      socket.on("error", () => {});
    }
    this.#clients.add(client);
    client.on("close", () => this.#clients.delete(client));
    client.on("end", () => runtime.destroy());
    client.on("close", () => runtime.destroy());
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
