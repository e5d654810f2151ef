import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { setInterval } from "node:timers/promises";

const MINUTE_MS = 60_000;

/** Runs the scheduled handler as if it were that time, in milliseconds since the epoch. */
export type RunScheduled = (time: number) => Promise<void>;

/**
 * Runs the scheduled handler at once and then every minute, as the platform would.
 *
 * @param aheadMs how far ahead of the clock the first run is: no browser has outlived the runtime before, so sessions
 * that had one end now, however young they are.
 */
export async function runEveryMinute(run: RunScheduled, signal: AbortSignal, aheadMs = 0): Promise<void> {
  const tryRun = (time: number) =>
    run(time).catch((error: unknown) => {
      if (!signal.aborted)
        console.error(`The scheduled handler failed: ${error instanceof Error ? error.message : error}`);
    });
  try {
    await tryRun(Date.now() + aheadMs);
    for await (const _ of setInterval(MINUTE_MS, undefined, { signal })) await tryRun(Date.now());
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Asks `wrangler dev` to run the handler. */
export async function askForScheduled(url: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${url}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(MINUTE_MS)]),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${answer}`);
}

/**
 * Runs the scheduled handler for whoever asks with `POST /?time=…` on a socket in the file system. Its path must be
 * short, since a socket's has about 100 characters.
 */
export async function serveScheduled(run: RunScheduled, socketPath: string): Promise<Server> {
  const server = createServer(async ({ url = "" }, response) => {
    const time = Number(new URL(url, "http://localhost").searchParams.get("time") ?? Date.now());
    try {
      await run(time);
      response.end();
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(socketPath);
  await once(server, "listening");
  return server;
}
