import Kernel from "@onkernel/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Service } from "../conformance/service.ts";
import { Probe } from "./machine-hostile/probe.ts";
import { HOSTILE_SCRIPTS } from "./machine-hostile/scripts.ts";

/** After this many seconds a script is to be killed. */
const TIMEOUT_SECONDS = 2;
/** What killing it may take beyond. */
const KILL_TIMEOUT_MS = 8000;
const CALL_TIMEOUT_MS = 15_000;
/** Were a script to hold the session up, an answer of the browser would take as long as the script is let run. */
const MAX_ROUND_TRIP_MS = TIMEOUT_SECONDS * 750;

let service: Service;
let kernel: Kernel;
let id: string;
let browserUrl: string;

beforeAll(async () => {
  service = await Service.start({ settings: { FILE_QUOTA_MEBIBYTES: "64" } });
  await openSession();
});
afterAll(() => service?.end());

/** What a script takes down is no excuse for those after it, nor their fault. */
beforeEach(async () => {
  if (await isAlive()) return;
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
      await using probe = await Probe.start(browserUrl);
      const begun = performance.now();
      const end = await run(script, cwd);
      const took = performance.now() - begun;
      const roundTrips = await probe.stop();

      expect(took, end).toBeLessThan(TIMEOUT_SECONDS * 1000 + KILL_TIMEOUT_MS);
      expect(Math.max(...roundTrips), `${roundTrips.length} round trips, ${end}`).toBeLessThan(
        MAX_ROUND_TRIP_MS,
      );
      expect(await isAlive()).toBe(true);
      await kernel.browsers.fs.deleteDirectory(id, { path: cwd });
    });
  }
});

async function openSession(): Promise<void> {
  kernel = service.kernel({ timeout: CALL_TIMEOUT_MS });
  const session = await kernel.browsers.create({ timeout_seconds: 3600, headless: true });
  id = session.session_id;
  browserUrl = session.cdp_ws_url;
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
