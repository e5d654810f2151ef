import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import type { DevToolsClient } from "../../conformance/devtools-client.ts";

const INTERVAL_MS = 5;
/** Some come also where a script ends at once. */
const MIN_ROUND_TRIPS = 10;

const timesSchema = z.array(z.number());

/** Asks a browser again and again, until told to stop. Answers with how long each answer took, in milliseconds. */
export async function askUntil(client: DevToolsClient, isStopped: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isStopped() || times.length < MIN_ROUND_TRIPS) {
    const asked = performance.now();
    await client.send("Browser.getVersion");
    times.push(performance.now() - asked);
    await setTimeout(INTERVAL_MS);
  }
  return times;
}

/**
 * A client at work with a session's browser. It has a thread of its own: a test that takes megabytes from a call
 * answers nobody meanwhile, and would measure itself.
 */
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

  /** How long each answer took, in milliseconds. */
  async stop(): Promise<number[]> {
    const [[times]] = await Promise.all([once(this.#thread, "message"), this.#thread.postMessage("stop")]);
    return timesSchema.parse(times);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.terminate();
  }
}
