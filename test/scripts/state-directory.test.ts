import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/local/paths.ts";
import { SetUpError } from "../../scripts/local/set-up-error.ts";
import { openStateDirectory, requireSpace, requireWritable } from "../../scripts/local/state-directory.ts";

const folder = mkdtempSync(join(tmpdir(), "state-"));
const file = join(folder, "file");
writeFileSync(file, "");
afterAll(() => rmSync(folder, { recursive: true }));

const open = (path: string) => () => openStateDirectory({ BERTH_STATE_DIRECTORY: path });

describe("the state folder", () => {
  it("is created", () => {
    expect(open(join(folder, "new"))().apiKeyFile).toBe(join(folder, "new", "api-key"));
  });

  it.each([
    ["a file", file],
    ["below a file", join(file, "below")],
  ])("cannot be %s", (_, path) => {
    expect(open(path)).toThrow(SetUpError);
    expect(open(path)).toThrow(`Cannot write to the state folder ${path} (E`);
  });

  it.skipIf(process.getuid?.() === 0)("must be writable", () => {
    chmodSync(folder, 0o500);
    expect(() => requireWritable(folder)).toThrow(`Cannot write to the state folder ${folder} (EACCES)`);
    chmodSync(folder, 0o700);
  });

  it("needs space", () => {
    expect(() => requireSpace("/data", 100 * 1024 * 1024)).not.toThrow();
    expect(() => requireSpace("/data", 1024 * 1024)).toThrow(SetUpError);
    expect(() => requireSpace("/data", 1024 * 1024)).toThrow(
      "The disk of the state folder /data has 1 MiB left",
    );
  });

  it("is refused by npm start with one sentence", () => {
    const node = join(ROOT, "node_modules", ".bin", "node");
    const env = { ...process.env, BERTH_STATE_DIRECTORY: file };
    const start = spawnSync(node, [join(ROOT, "scripts", "start.ts")], { env, encoding: "utf8" });
    expect(start.status).toBe(1);
    expect(start.stderr.trim()).toMatch(/^Cannot write to the state folder .*\.$/);
  });
});
