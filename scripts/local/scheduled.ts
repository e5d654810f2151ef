import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { setInterval } from "node:timers/promises";
import { logError } from "../../src/lib/common/log.ts";

const MINUTE_MS = 60_000;

/** Runs the scheduled handler for a time in milliseconds since the epoch. */
export type RunScheduled = (time: number) => Promise<void>;

/** Prints a failure. */
export async function tryScheduled(run: RunScheduled, time: number, signal: AbortSignal): Promise<void> {
  await run(time).catch((error: unknown) => {
    if (!signal.aborted) logError("scheduled_handler_failed", error);
  });
}

/**
 * Runs the scheduled handler immediately and then every minute.
 *
 * @param firstRunOffsetMs how far in the future the first run appears to be. Browsers do not survive a
 * restart of the runtime, so an offset makes the sweep end even the newest sessions.
 */
export async function runEveryMinute(
  run: RunScheduled,
  signal: AbortSignal,
  firstRunOffsetMs = 0,
): Promise<void> {
  try {
    await tryScheduled(run, Date.now() + firstRunOffsetMs, signal);
    for await (const _ of setInterval(MINUTE_MS, undefined, { signal }))
      await tryScheduled(run, Date.now(), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Runs the scheduled handler on `POST /?time=…` to a Unix socket. */
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
  await once(server.listen(socketPath), "listening");
  return server;
}
