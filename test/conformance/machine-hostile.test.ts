import { setTimeout } from "node:timers/promises";
import Kernel from "@onkernel/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DevToolsClient } from "./devtools-client.ts";
import { HOSTILE_SCRIPTS } from "./machine-hostile/scripts.ts";
import { Service } from "./service.ts";

/** After this many seconds a script is to be killed. */
const TIMEOUT_SECONDS = 2;
/** What killing it may take beyond. */
const KILL_PATIENCE_MS = 3000;
const CALL_PATIENCE_MS = 15_000;
const PROBE_INTERVAL_MS = 5;
/** A percentile says something of no fewer. */
const FEWEST_ROUND_TRIPS = 100;
const MOST_ROUND_TRIP_MS = 250;
const MOST_PERCENTILE = 0.99;

let service: Service;
let kernel: Kernel;
let id: string;
let client: DevToolsClient;

beforeAll(async () => {
  service = await Service.start({ settings: { FILE_QUOTA_MEBIBYTES: "64" } });
  await openSession();
});
afterAll(async () => {
  client?.[Symbol.dispose]();
  await service?.end();
});

/** What a script takes down is no excuse for those after it, nor their fault. */
beforeEach(async () => {
  if (await isAlive()) return;
  client[Symbol.dispose]();
  await service.kill();
  await service.restart();
  await openSession();
});

describe("a script that never would end, or grows without bound, ends, and its session lives", () => {
  for (const [index, [name, script]] of Object.entries(HOSTILE_SCRIPTS).entries()) {
    test(name, async () => {
      const cwd = `/tmp/hostile-${index}`;
      await kernel.browsers.fs.createDirectory(id, { path: cwd, mode: "777" });
      await kernel.browsers.fs.setFilePermissions(id, { path: cwd, mode: "777" });
      const probe = new Probe(client);
      const begun = performance.now();
      const end = await run(script, cwd).finally(() => probe.stop());
      const took = performance.now() - begun;
      const roundTrips = await probe.roundTrips;

      expect(took, end).toBeLessThan(TIMEOUT_SECONDS * 1000 + KILL_PATIENCE_MS);
      expect(percentile(roundTrips), `${roundTrips.length} round trips, ${end}`).toBeLessThan(
        MOST_ROUND_TRIP_MS,
      );
      expect(await isAlive()).toBe(true);
      await kernel.browsers.fs.deleteDirectory(id, { path: cwd });
    });
  }
});

async function openSession(): Promise<void> {
  kernel = service.kernel({ timeout: CALL_PATIENCE_MS });
  const session = await kernel.browsers.create({ timeout_seconds: 3600, headless: true });
  id = session.session_id;
  client = await DevToolsClient.connect(session.cdp_ws_url);
}

function isAlive(): Promise<boolean> {
  return run("echo alive", "/tmp").then(
    (end) => end === "0 alive\n",
    () => false,
  );
}

/** How a script ended: its code, and what it wrote, or that it was killed. */
async function run(script: string, cwd: string): Promise<string> {
  try {
    const { exit_code, stdout_b64, stderr_b64 } = await kernel.browsers.process.exec(id, {
      command: "bash",
      args: ["-c", script],
      cwd,
      timeout_sec: TIMEOUT_SECONDS,
    });
    const output = [stdout_b64, stderr_b64].map((part) => Buffer.from(part ?? "", "base64").toString());
    return `${exit_code} ${output.join("").slice(0, 200)}`;
  } catch (error) {
    if (error instanceof Kernel.APIError && error.message.includes("process timed out")) return "timed out";
    throw error;
  }
}

function percentile(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * MOST_PERCENTILE) - 1] ?? Number.NaN;
}

/** Asks a session's browser again and again, as a client that works with it does. */
class Probe {
  /** How long each answer took, in milliseconds; once it has been stopped. */
  readonly roundTrips: Promise<number[]>;
  #isStopped = false;

  constructor(client: DevToolsClient) {
    this.roundTrips = this.#ask(client);
    // Nobody awaits it where the script's own call has failed.
    this.roundTrips.catch(() => {});
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #ask(client: DevToolsClient): Promise<number[]> {
    const times: number[] = [];
    while (!this.#isStopped || times.length < FEWEST_ROUND_TRIPS) {
      const asked = performance.now();
      await client.send("Browser.getVersion");
      times.push(performance.now() - asked);
      await setTimeout(PROBE_INTERVAL_MS);
    }
    return times;
  }
}
