import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runScript } from "./run-script.ts";
import { createSample, driveSample, leaseFromPool, readSample, type Sample } from "./sample-data.ts";
import { Service } from "./service.ts";

/** The sweep skips anything younger than two minutes. */
const AFTER_GRACE_MS = 180_000;

let folder: string;
let backup: string;
let original: Service;
let sample: Sample;
let expected: object;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "backup-"));
  backup = join(folder, "backup");
  original = await Service.start();
  sample = await createSample(original);
  expected = await readSample(original, sample);
  await original.stop();
  const { code, output } = await runScript("backup", ["--local", backup], {
    BERTH_STATE_DIRECTORY: original.stateDirectory,
  });
  if (code !== 0) throw new Error(output);
});
afterAll(async () => {
  await original?.end();
  rmSync(folder, { recursive: true, force: true });
});

function restore(stateDirectory: string, from = backup, ...args: string[]) {
  return runScript("restore", [from, "--local", ...args], { BERTH_STATE_DIRECTORY: stateDirectory });
}

describe("npm run backup and npm run restore", () => {
  test("move everything that outlives a session to a new service, where it can be used", async () => {
    const restored = await Service.start({
      prepare: async (stateDirectory) => {
        const { code, output } = await restore(stateDirectory);
        expect(code, output).toBe(0);
        expect(output).toContain("Restored: all rows and files are there.");
      },
    });
    try {
      expect(await readSample(restored, sample)).toEqual(expected);
      const { browsers } = restored.kernel({ apiKey: sample.apiKey });
      expect(await Array.fromAsync(browsers.list())).toEqual([]);
      const lost = await browsers.retrieve(sample.livingSessionId, { include_deleted: true });
      expect(lost).toMatchObject({ deleted_at: expect.any(String), end_reason: "browser_lost" });
      await restored.runScheduled({ laterMs: AFTER_GRACE_MS });
      expect(await readSample(restored, sample)).toEqual(expected);
      await leaseFromPool(restored, sample);
      await driveSample(restored, sample);
      // The running service is not disturbed.
      const refused = await restore(restored.stateDirectory, backup, "--overwrite");
      expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("already running") });
      await restored.stop();
      const notEmpty = await restore(restored.stateDirectory);
      expect(notEmpty).toMatchObject({
        code: 1,
        output: expect.stringContaining("The target contains data."),
      });
      const overwritten = await restore(restored.stateDirectory, backup, "--overwrite", "--yes");
      expect(overwritten.code, overwritten.output).toBe(0);
      await restored.restart();
      expect(await readSample(restored, sample)).toEqual(expected);
    } finally {
      await restored.end();
    }
  });

  test.each([
    ["a changed database", "database.sql", "was changed"],
    ["a changed list of files", "objects.jsonl", "was changed"],
  ])("refuse %s", async (_, file, reason) => {
    const copy = join(folder, `damaged-${file}`);
    cpSync(backup, copy, { recursive: true });
    appendFileSync(join(copy, file), "\n");
    expect(await restore(join(folder, "unused"), copy, "--dry-run")).toMatchObject({
      code: 1,
      output: expect.stringContaining(reason),
    });
  });

  test("refuse a missing file, an unfinished backup and another ENCRYPTION_KEY", async () => {
    const copy = join(folder, "incomplete");
    cpSync(backup, copy, { recursive: true });
    const [object = ""] = readdirSync(join(copy, "objects"));
    rmSync(join(copy, "objects", object));
    const target = join(folder, "unused");
    expect((await restore(target, copy, "--dry-run")).output).toContain("is missing");
    rmSync(join(copy, "manifest.json"));
    expect((await restore(target, copy, "--dry-run")).output).toContain("is not a complete backup");
    const otherKey = await runScript("restore", [backup, "--local", "--dry-run"], {
      BERTH_STATE_DIRECTORY: target,
      ENCRYPTION_KEY: Buffer.alloc(32).toString("base64"),
    });
    expect(otherKey).toMatchObject({
      code: 1,
      output: expect.stringContaining("is not the key of this backup"),
    });
  });
});
