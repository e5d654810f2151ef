import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { listen } from "../outside/local-server.ts";

/** A proxy between a viewer and the service that simulates network failures. */
export interface TcpProxy extends AsyncDisposable {
  /** Rewrites a URL to go through the proxy. */
  reroute(address: string | null | undefined): string;
  /** Closes all connections and accepts none until {@link restore} is called. */
  disconnect(): void;
  /** Stops forwarding on the present connections without closing them. */
  stall(): void;
  restore(): void;
}

export async function startTcpProxy(baseURL: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(baseURL);
  const sockets = new Set<Socket>();
  let isDisconnected = false;
  const server = createServer((downstream) => {
    if (isDisconnected) {
      downstream.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    for (const socket of [downstream, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        downstream.destroy();
        upstream.destroy();
      });
    }
    downstream.pipe(upstream);
    upstream.pipe(downstream);
  });
  const ownPort = await listen(server);
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    reroute: (url) => {
      const rerouted = new URL(url ?? "");
      rerouted.port = String(ownPort);
      return rerouted.href;
    },
    disconnect: () => {
      isDisconnected = true;
      closeAll();
    },
    stall: () => {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    restore: () => {
      isDisconnected = false;
    },
    [Symbol.asyncDispose]: async () => {
      closeAll();
      server.close();
      await once(server, "close");
    },
  };
}
