import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TOOL_FOLDER } from "../../scripts/local/paths.ts";
import { createSample, driveSample, readSample } from "./sample-data.ts";
import { Service } from "./service.ts";
import { ROOT } from "./service-client.ts";

/** Begins the migrations. Once there is a second one: the last revision before it. */
const OLD_REVISION = "28992df9f4944b3962d462e48af14140c8aa5c17";

/** The sweep skips anything younger than two minutes. */
const AFTER_GRACE_MS = 180_000;

const LOSS_TIMEOUT_MS = 60_000;

const hasHistory = spawnSync("git", ["cat-file", "-e", OLD_REVISION], { cwd: ROOT }).status === 0;

describe.runIf(hasHistory)("an upgrade of the previous version", () => {
  let sources: string;
  let service: Service;

  beforeAll(async () => {
    sources = mkdtempSync(join(tmpdir(), "old-"));
    const archive = spawnSync("git", ["archive", OLD_REVISION], { cwd: ROOT, maxBuffer: 2 ** 28 });
    const unpacked = spawnSync("tar", ["-x", "-C", sources], { input: archive.stdout });
    if (unpacked.status !== 0) throw new Error(`${archive.stderr}${unpacked.stderr}`);
    symlinkSync(join(ROOT, "node_modules"), join(sources, "node_modules"));
    // With the old lock file, the start would replace the dependencies of this checkout.
    for (const file of ["package.json", "package-lock.json", ".dev.vars"]) {
      copyFileSync(join(ROOT, file), join(sources, file));
    }
    // Keeps the build of these sources for the next run.
    mkdirSync(join(TOOL_FOLDER, "builds"), { recursive: true });
    mkdirSync(join(sources, ".wrangler"));
    symlinkSync(join(TOOL_FOLDER, "builds"), join(sources, ".wrangler", "builds"));
    service = await Service.start({ sources });
  });
  afterAll(async () => {
    await service?.end();
    rmSync(sources, { recursive: true, force: true });
  });

  test("keeps all data and objects, and ends the sessions whose browsers are gone", async () => {
    const sample = await createSample(service);
    const before = await readSample(service, sample);
    await service.stop();
    await service.restart();
    expect(await readSample(service, sample)).toMatchObject(before);
    await service.runScheduled({ laterMs: AFTER_GRACE_MS });
    const { browsers } = service.kernel({ apiKey: sample.apiKey });
    await expect
      .poll(() => browsers.retrieve(sample.livingSessionId, { include_deleted: true }), {
        timeout: LOSS_TIMEOUT_MS,
      })
      .toMatchObject({ end_reason: "browser_lost" });
    await driveSample(service, sample);
  });
});
