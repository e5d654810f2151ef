import { openServer } from "../local/http-server.ts";

/** An address reserved for documentation, which no other exit has. */
const EXIT_ADDRESS = "203.0.113.7";

/** A proxy on this machine that answers every plain request itself, with its own address. */
export function startExitProxy() {
  return openServer((_, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).end(EXIT_ADDRESS);
  });
}
