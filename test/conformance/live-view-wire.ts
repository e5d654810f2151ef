import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** The network between a viewer and the service, to be broken. */
export interface Wire extends AsyncDisposable {
  /** The same address over this wire. */
  over(address: string | null | undefined): string;
  /** Breaks all connections, and lets none through until it is mended. */
  cut(): void;
  /** Lets nothing through any more on the present connections, which stay open. */
  silence(): void;
  mend(): void;
}

/** @param baseURL of the service that the wire leads to. */
export async function layWire(baseURL: string): Promise<Wire> {
  const { hostname, port } = new URL(baseURL);
  const ends = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    for (const end of [near, far]) {
      ends.add(end);
      end.on("error", () => {});
      end.on("close", () => {
        ends.delete(end);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The wire has no port");
  const breakAll = () => {
    for (const end of ends) end.destroy();
  };
  return {
    over: (url) => {
      const rerouted = new URL(url ?? "");
      rerouted.port = String(address.port);
      return rerouted.href;
    },
    cut: () => {
      isCut = true;
      breakAll();
    },
    silence: () => {
      for (const end of ends) {
        end.unpipe();
        end.pause();
      }
    },
    mend: () => {
      isCut = false;
    },
    [Symbol.asyncDispose]: async () => {
      breakAll();
      server.close();
      await once(server, "close");
    },
  };
}
