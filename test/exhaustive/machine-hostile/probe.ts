import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import type { DevToolsClient } from "../../conformance/devtools-client.ts";

const INTERVAL_MS = 5;
/** Enough for a script that ends immediately. */
const MIN_ROUND_TRIPS = 10;

const timesSchema = z.array(z.number());

/** Sends commands to the browser until stopped. @returns each round trip in milliseconds. */
export async function pingUntil(client: DevToolsClient, isStopped: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isStopped() || times.length < MIN_ROUND_TRIPS) {
    const sentAt = performance.now();
    await client.send("Browser.getVersion");
    times.push(performance.now() - sentAt);
    await setTimeout(INTERVAL_MS);
  }
  return times;
}

/** Measures round trips to a browser on a worker thread: reading megabytes blocks the test's own thread. */
export class Probe {
  readonly #thread: Worker;

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  static async start(url: string): Promise<Probe> {
    const thread = new Worker(new URL("./probe-thread.ts", import.meta.url), { workerData: url });
    await once(thread, "message");
    return new Probe(thread);
  }

  /** @returns each round trip in milliseconds. */
  async stop(): Promise<number[]> {
    const [[times]] = await Promise.all([once(this.#thread, "message"), this.#thread.postMessage("stop")]);
    return timesSchema.parse(times);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.terminate();
  }
}
