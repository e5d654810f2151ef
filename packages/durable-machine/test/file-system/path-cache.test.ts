import { expect, it } from "vitest";
import { ROOT } from "../../src/users.ts";
import { KERNEL } from "../identity.ts";
import { bytesOf, errorCodeOf, textOf, withFiles } from "./open-files.ts";

it("reflects changes of directories in cached paths", () =>
  withFiles(({ files }) => {
    const read = () => textOf(files.readAll("/tmp/a/b/f", KERNEL));
    files.makeDirectory("/tmp/a/b", ROOT, { parents: true });
    files.makeDirectory("/tmp/other/b", ROOT, { parents: true });
    files.writeAll("/tmp/a/b/f", bytesOf("first"), ROOT);
    files.writeAll("/tmp/other/b/f", bytesOf("other"), ROOT);
    expect(read()).toBe("first");
    files.changeMode("/tmp/a", ROOT, 0o700);
    expect(errorCodeOf(read)).toBe("EACCES");
    files.changeOwner("/tmp/a", ROOT, { uid: KERNEL.uid });
    expect(read()).toBe("first");
    expect(files.status("/tmp/a", ROOT).links).toBe(3);
    files.makeDirectory("/tmp/a/c", ROOT);
    expect(files.status("/tmp/a", ROOT).links).toBe(4);

    files.rename("/tmp/a", "/tmp/moved", ROOT);
    expect(errorCodeOf(read)).toBe("ENOENT");
    files.symlink("/tmp/other", "/tmp/a", ROOT);
    expect(read()).toBe("other");
    files.unlink("/tmp/a", ROOT);
    files.rename("/tmp/moved", "/tmp/a", ROOT);
    expect(read()).toBe("first");
  }));

it("reflects nothing of a rolled back transaction", () =>
  withFiles(({ files }) => {
    files.makeDirectory("/tmp/a", ROOT);
    const failing = () =>
      files.atomically(() => {
        files.makeDirectory("/tmp/a/b", ROOT);
        files.changeMode("/tmp/a", ROOT, 0o700);
        files.makeDirectory("/tmp/a/b/c", ROOT);
        throw new Error("rolled back");
      });
    expect(failing).toThrow("rolled back");
    expect(errorCodeOf(() => files.status("/tmp/a/b/c", ROOT))).toBe("ENOENT");
    expect(errorCodeOf(() => files.status("/tmp/a/b", ROOT))).toBe("ENOENT");
    expect(files.status("/tmp/a", ROOT).mode).not.toBe(0o700);
  }));
