import { setInterval } from "node:timers/promises";

const MINUTE_MS = 60_000;

/** Calls the scheduled handler every minute, as the platform would; `wrangler dev` never does by itself. */
export async function callScheduledHandler(url: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of setInterval(MINUTE_MS, undefined, { signal })) await callOnce(url, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function callOnce(url: string, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch(`${url}/cdn-cgi/handler/scheduled?cron=*+*+*+*+*`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(MINUTE_MS)]),
    });
    const answer = await response.text();
    if (!response.ok) console.error(`The scheduled handler failed: ${response.status} ${answer}`);
  } catch (error) {
    if (signal.aborted) return;
    console.error(`The scheduled handler was not reached: ${error instanceof Error ? error.message : error}`);
  }
}
