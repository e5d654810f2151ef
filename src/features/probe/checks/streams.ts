import { exports } from "cloudflare:workers";
import { pause } from "../../../lib/common/concurrency.ts";
import { openDevToolsSocket } from "../../../platform/browser/index.ts";
import { type Checks, differs, holds } from "../check.ts";
import type { ProbeContext } from "../context.ts";

export const STREAM_BYTES = 100_000_000;

/** The platform was seen to close sockets one to two seconds after a stream's end (workerd issue 6774). */
const AFTERMATH_MS = 5000;

const STREAM_URL = "https://stream.invalid/";

export const streamChecks = {
  sockets_beside_streams: (context) =>
    keepSocket(context, async () => {
      const response = await exports.ProbeStream.fetch(STREAM_URL);
      let bytes = 0;
      for await (const chunk of response.body ?? []) bytes += chunk.byteLength;
      if (bytes !== STREAM_BYTES) throw new Error(`${bytes} of ${STREAM_BYTES} bytes came`);
      return "100 MB were read";
    }),
} satisfies Checks;

/** Opens a socket to a browser, and checks whether it survives what the object does in the meantime. */
async function keepSocket(context: ProbeContext, work: () => Promise<string>) {
  const socket = await openDevToolsSocket(context.env.BROWSER, await context.launch());
  let closed: CloseEvent | undefined;
  let answers = 0;
  socket.addEventListener("close", (event) => {
    closed = event;
  });
  socket.addEventListener("message", () => {
    answers += 1;
  });
  const ask = () => socket.send(JSON.stringify({ id: 1, method: "Browser.getVersion" }));
  try {
    ask();
    const done = await work();
    await pause(AFTERMATH_MS);
    if (closed !== undefined) return differs(`${done}; the socket was closed with ${closed.code}`);
    const before = answers;
    ask();
    await pause(AFTERMATH_MS / 5);
    return answers > before
      ? holds(`${done}; the socket stayed open`)
      : differs(`${done}; the socket fell silent`);
  } finally {
    if (closed === undefined) socket.close(1000);
  }
}
