import Kernel from "@onkernel/sdk";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { textOf } from "../conformance/machine-api.ts";
import { useService } from "../conformance/use-service.ts";
import { Probe } from "./machine-hostile/probe.ts";
import { HOSTILE_SCRIPTS } from "./machine-hostile/scripts.ts";

const TIMEOUT_SECONDS = 2;
const KILL_TIMEOUT_MS = 8000;
const CALL_TIMEOUT_MS = 15_000;
/** A script that blocked the session would delay the browser's responses until its timeout. */
const MAX_ROUND_TRIP_MS = TIMEOUT_SECONDS * 750;

let kernel: Kernel;
let id: string;
let browserUrl: string;

const service = await useService({ settings: { FILE_QUOTA_MEBIBYTES: "64" } });

beforeAll(async () => {
  await openSession();
});

/** Restarts the service after a script has broken it. */
beforeEach(async () => {
  if (await isAlive()) return;
  await service.kill();
  await service.restart();
  await openSession();
});

describe("hostile scripts end without blocking the session", () => {
  for (const [index, [name, script]] of Object.entries(HOSTILE_SCRIPTS).entries()) {
    test(name, async () => {
      const cwd = `/tmp/hostile-${index}`;
      await kernel.browsers.fs.createDirectory(id, { path: cwd, mode: "777" });
      await kernel.browsers.fs.setFilePermissions(id, { path: cwd, mode: "777" });
      await using probe = await Probe.start(browserUrl);
      const startedAt = performance.now();
      const outcome = await run(script, cwd);
      const durationMs = performance.now() - startedAt;
      const roundTrips = await probe.stop();

      expect(durationMs, outcome).toBeLessThan(TIMEOUT_SECONDS * 1000 + KILL_TIMEOUT_MS);
      expect(Math.max(...roundTrips), `${roundTrips.length} round trips, ${outcome}`).toBeLessThan(
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
    (outcome) => outcome === "0 alive\n",
    () => false,
  );
}

/** @returns the exit code and output, or "timed out". */
async function run(script: string, cwd: string): Promise<string> {
  try {
    const { exit_code, stdout_b64, stderr_b64 } = await kernel.browsers.process.exec(id, {
      command: "bash",
      args: ["-c", script],
      cwd,
      timeout_sec: TIMEOUT_SECONDS,
    });
    return `${exit_code} ${(textOf(stdout_b64) + textOf(stderr_b64)).slice(0, 200)}`;
  } catch (error) {
    if (error instanceof Kernel.APIError && error.message.includes("process timed out")) return "timed out";
    throw error;
  }
}
