import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { Server as SocketServer } from "node:net";

export interface LocalServer extends AsyncDisposable {
  server: Server;
  port: number;
  origin: string;
}

/** Serves HTTP on a free port of 127.0.0.1. */
export async function serveHTTP(listener: RequestListener): Promise<LocalServer> {
  const server = createServer(listener);
  const port = await listen(server);
  return {
    server,
    port,
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** @returns the free port that the server now listens on. */
export async function listen(server: SocketServer, host = "127.0.0.1"): Promise<number> {
  server.listen(0, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}
