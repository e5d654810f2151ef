import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { TOOL_FOLDER } from "../../scripts/local/paths.ts";
import { runScript } from "./run-script.ts";
import { createSample, driveSample, leaseFromPool, readSample, sampleSchema } from "./sample-data.ts";
import { Service } from "./service.ts";
import { ROOT } from "./service-client.ts";

/** The last revision whose newest migration is 0007_console.sql. */
const OLD_REVISION = "854dc16fd7308ecaf5827ceabf21ff65c4b287e0";

/** A backup of a sample that this revision made, for checkouts without history. */
const FIXTURE = join(import.meta.dirname, "upgrade");

const fixtureSchema = z.object({
  encryptionKey: z.string(),
  sample: sampleSchema,
  content: z.looseObject({}),
});

/** The sweep skips anything younger than two minutes. */
const AFTER_GRACE_MS = 180_000;

const LOSS_TIMEOUT_MS = 60_000;

/** The stored backup keeps getting older. */
const CENTURY_SECONDS = String(100 * 365 * 24 * 60 * 60);
const KEEP_ALL = {
  DELETED_SESSION_RETENTION_SECONDS: CENTURY_SECONDS,
  TELEMETRY_RETENTION_SECONDS: CENTURY_SECONDS,
  REPLAY_RETENTION_SECONDS: CENTURY_SECONDS,
  INVOCATION_LOG_RETENTION_SECONDS: CENTURY_SECONDS,
};

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
    copyFileSync(join(ROOT, ".dev.vars"), join(sources, ".dev.vars"));
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

describe("a backup of the previous version", () => {
  test("is restored, migrated and used", async () => {
    const { encryptionKey, sample, content } = fixtureSchema.parse(
      JSON.parse(readFileSync(join(FIXTURE, "sample.json"), "utf8")),
    );
    const settings = { ...KEEP_ALL, ENCRYPTION_KEY: encryptionKey };
    const service = await Service.start({
      settings,
      prepare: async (stateDirectory) => {
        const environment = { ...settings, BERTH_STATE_DIRECTORY: stateDirectory };
        const { code, output } = await runScript(
          "restore",
          [join(FIXTURE, "backup"), "--local"],
          environment,
        );
        expect(code, output).toBe(0);
      },
    });
    try {
      expect(await readSample(service, sample)).toMatchObject(content);
      await leaseFromPool(service, sample);
      await driveSample(service, sample, { hasCookies: false });
    } finally {
      await service.end();
    }
  });
});
