import { once } from "node:events";
import { createServer } from "node:http";

/** An address reserved for documentation, which no other exit has. */
const EXIT_ADDRESS = "203.0.113.7";

export interface ExitProxy extends AsyncDisposable {
  url: string;
}

/** A proxy on this machine that answers every plain request itself, with its own address. */
export async function startExitProxy(): Promise<ExitProxy> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).end(EXIT_ADDRESS);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
