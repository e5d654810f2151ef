import { describe, expect, it } from "vitest";
import type { FileErrorCode } from "../../src/file-system/file-error.ts";
import type { FileSystem } from "../../src/file-system/file-system.ts";
import { permits } from "../../src/file-system/permissions.ts";
import { type Credentials, ROOT } from "../../src/users.ts";
import { KERNEL } from "../identity.ts";
import { bytesOf, errorCodeOf, OTHER_USER, withFiles } from "./open-files.ts";

const MEMBER = { uid: 3000, gid: KERNEL.gid, umask: 0o022 };

const PERMISSIONS: [string, number, Credentials, string][] = [
  ["the owner has the owner's", 0o640, KERNEL, "rw-"],
  ["even if others have more", 0o077, KERNEL, "---"],
  ["a member has the group's", 0o750, MEMBER, "r-x"],
  ["even if others have more", 0o707, MEMBER, "---"],
  ["all other users have the others'", 0o751, OTHER_USER, "--x"],
  ["root can always read and write", 0o000, ROOT, "rw-"],
  ["root can execute if anyone can", 0o001, ROOT, "rwx"],
];

describe("permissions", () => {
  it.each(PERMISSIONS)("%s: %o", (_, mode, credentials, expected) => {
    const file = { type: "file", mode, uid: KERNEL.uid, gid: KERNEL.gid } as const;
    const granted = [4, 2, 1].map((right, index) =>
      permits(file, credentials, right) ? "rwx".charAt(index) : "-",
    );
    expect(granted.join("")).toBe(expected);
  });

  it("are checked together", () => {
    const file = { type: "file", mode: 0o600, uid: KERNEL.uid, gid: KERNEL.gid } as const;
    expect(permits(file, KERNEL, 6)).toBe(true);
    expect(permits(file, KERNEL, 7)).toBe(false);
  });

  it("let root search any directory", () => {
    expect(permits({ type: "directory", mode: 0, uid: 1, gid: 1 }, ROOT, 7)).toBe(true);
  });
});

/** Public and private files of root and of the user, in their own directories and in /tmp. */
function fill(files: FileSystem): void {
  files.makeDirectory("/r", ROOT);
  files.writeAll("/r/open", bytesOf("r"), ROOT);
  files.writeAll("/r/closed", bytesOf("r"), ROOT, { mode: 0o600 });
  files.makeDirectory("/r/private", ROOT, { mode: 0o700 });
  files.writeAll("/r/private/open", bytesOf("r"), ROOT);
  files.makeDirectory("/r/listed", ROOT);
  files.changeMode("/r/listed", ROOT, 0o744);
  files.writeAll("/r/listed/open", bytesOf("r"), ROOT);
  files.makeDirectory("/r/entered", ROOT);
  files.changeMode("/r/entered", ROOT, 0o711);
  files.writeAll("/r/entered/open", bytesOf("r"), ROOT);
  files.writeAll("/tmp/roots", bytesOf("r"), ROOT);
  files.makeDirectory("/tmp/roots-directory", ROOT);
  files.writeAll("/tmp/own", bytesOf("k"), KERNEL);
  files.makeDirectory("/home/kernel/d", KERNEL);
  files.writeAll("/home/kernel/f", bytesOf("k"), KERNEL);
  files.writeAll("/home/kernel/roots", bytesOf("r"), ROOT);
  files.makeDirectory("/home/kernel/roots-directory", ROOT);
  files.writeAll("/r/set-uid", bytesOf("r"), ROOT);
  files.changeMode("/r/set-uid", ROOT, 0o4777);
}

type Call = (files: FileSystem) => unknown;

const AS_KERNEL: [string, Call, FileErrorCode | undefined][] = [
  ["reads a public file", (files) => files.readAll("/r/open", KERNEL), undefined],
  ["cannot read a private file", (files) => files.readAll("/r/closed", KERNEL), "EACCES"],
  ["cannot search a private directory", (files) => files.status("/r/private/open", KERNEL), "EACCES"],
  ["cannot list a private directory", (files) => files.list("/r/private", KERNEL), "EACCES"],
  ["lists a readable directory", (files) => files.list("/r/listed", KERNEL), undefined],
  ["cannot search a readable directory", (files) => files.readAll("/r/listed/open", KERNEL), "EACCES"],
  ["cannot list a searchable directory", (files) => files.list("/r/entered", KERNEL), "EACCES"],
  ["searches a searchable directory", (files) => files.readAll("/r/entered/open", KERNEL), undefined],
  ["leaves a searchable directory", (files) => files.readAll("/r/entered/../open", KERNEL), undefined],
  ["cannot leave a private directory", (files) => files.status("/r/private/../open", KERNEL), "EACCES"],
  ["cannot write a readable file", (files) => files.writeAll("/r/open", bytesOf("x"), KERNEL), "EACCES"],
  [
    "cannot append to a readable file",
    (files) => files.writeAll("/r/open", bytesOf("x"), KERNEL, { append: true }),
    "EACCES",
  ],
  ["cannot truncate a readable file", (files) => files.truncate("/r/open", KERNEL, 0), "EACCES"],
  [
    "cannot create a file in another user's directory",
    (files) => files.writeAll("/r/new", bytesOf("x"), KERNEL),
    "EACCES",
  ],
  ["cannot create a directory there", (files) => files.makeDirectory("/r/new", KERNEL), "EACCES"],
  [
    "cannot create parents there",
    (files) => files.makeDirectory("/r/new/x", KERNEL, { parents: true }),
    "EACCES",
  ],
  ["reports an existing directory first", (files) => files.makeDirectory("/r/listed", KERNEL), "EEXIST"],
  ["cannot create a symlink there", (files) => files.symlink("x", "/r/new", KERNEL), "EACCES"],
  ["cannot remove files there", (files) => files.unlink("/r/open", KERNEL), "EACCES"],
  ["cannot rename files from there", (files) => files.rename("/r/open", "/tmp/x", KERNEL), "EACCES"],
  ["cannot rename files to there", (files) => files.rename("/home/kernel/f", "/r/x", KERNEL), "EACCES"],
  [
    "removes another user's file from its own directory",
    (files) => files.unlink("/home/kernel/roots", KERNEL),
    undefined,
  ],
  [
    "cannot remove another user's file from a sticky directory",
    (files) => files.unlink("/tmp/roots", KERNEL),
    "EPERM",
  ],
  [
    "cannot rename another user's file in a sticky directory",
    (files) => files.rename("/tmp/roots", "/tmp/x", KERNEL),
    "EPERM",
  ],
  [
    "cannot replace another user's file in a sticky directory",
    (files) => files.rename("/tmp/own", "/tmp/roots", KERNEL),
    "EPERM",
  ],
  [
    "cannot remove another user's directory from a sticky directory",
    (files) => files.removeDirectory("/tmp/roots-directory", KERNEL),
    "EPERM",
  ],
  ["removes its own file from a sticky directory", (files) => files.unlink("/tmp/own", KERNEL), undefined],
  [
    "cannot move a directory that is not writable",
    (files) => files.rename("/home/kernel/roots-directory", "/home/kernel/d/x", KERNEL),
    "EACCES",
  ],
  [
    "renames such a directory in place",
    (files) => files.rename("/home/kernel/roots-directory", "/home/kernel/renamed", KERNEL),
    undefined,
  ],
  ["sets its own mode", (files) => files.changeMode("/home/kernel/f", KERNEL, 0o600), undefined],
  ["cannot set another user's mode", (files) => files.changeMode("/r/open", KERNEL, 0o777), "EPERM"],
  ["sets its own times", (files) => setTimes(files, "/home/kernel/f"), undefined],
  ["cannot set another user's times", (files) => setTimes(files, "/r/set-uid"), "EPERM"],
  ["cannot give files away", (files) => files.changeOwner("/home/kernel/f", KERNEL, { uid: 0 }), "EPERM"],
  ["cannot take files", (files) => files.changeOwner("/r/open", KERNEL, { uid: KERNEL.uid }), "EPERM"],
  [
    "sets its own group",
    (files) => files.changeOwner("/home/kernel/f", KERNEL, { gid: KERNEL.gid }),
    undefined,
  ],
  ["cannot set another group", (files) => files.changeOwner("/home/kernel/f", KERNEL, { gid: 0 }), "EPERM"],
  ["links its own file", (files) => files.link("/home/kernel/f", "/home/kernel/g", KERNEL), undefined],
  [
    "cannot link a file that is not writable",
    (files) => files.link("/r/open", "/home/kernel/h", KERNEL),
    "EPERM",
  ],
  ["cannot link a set-uid program", (files) => files.link("/r/set-uid", "/home/kernel/h", KERNEL), "EPERM"],
];

function setTimes(files: FileSystem, path: string): void {
  files.setTimes(path, KERNEL, { accessedAt: 1, modifiedAt: 2 });
}

describe("FileSystem", () => {
  it("enforces permissions of a user", () =>
    withFiles(({ files }) => {
      fill(files);
      const errors = AS_KERNEL.map(([name, call]) => [name, errorCodeOf(() => call(files))]);
      expect(errors).toEqual(AS_KERNEL.map(([name, , code]) => [name, code]));
    }));

  it("applies the umask to new files", () =>
    withFiles(({ files }) => {
      const strict = { ...ROOT, umask: 0o077 };
      files.writeAll("/tmp/f", bytesOf(""), strict);
      files.writeAll("/tmp/p", bytesOf(""), ROOT, { mode: 0o4777 });
      files.makeDirectory("/tmp/d", strict);
      files.makeDirectory("/tmp/s", ROOT, { mode: 0o7777 });
      files.symlink("x", "/tmp/l", strict);
      const modes = files.list("/tmp", ROOT).map(({ name, mode }) => [name, mode.toString(8)]);
      expect(Object.fromEntries(modes)).toEqual({ d: "700", f: "600", l: "777", p: "4755", s: "1755" });
    }));

  it("preserves mode and owner of an overwritten file", () =>
    withFiles(async ({ files }) => {
      files.writeAll("/tmp/f", bytesOf("a"), KERNEL, { mode: 0o640 });
      const before = files.status("/tmp/f", ROOT);
      files.writeAll("/tmp/f", bytesOf("b"), ROOT, { mode: 0o777 });
      await files.write("/tmp/f", new Blob(["c"]).stream(), ROOT, { mode: 0o777 });
      const { inode, mode, uid, gid } = files.status("/tmp/f", ROOT);
      expect({ inode, mode, uid, gid }).toEqual({
        inode: before.inode,
        mode: 0o640,
        uid: KERNEL.uid,
        gid: KERNEL.gid,
      });
    }));

  it("inherits the group of a set-gid directory", () =>
    withFiles(({ files }) => {
      files.makeDirectory("/tmp/g", ROOT);
      files.changeOwner("/tmp/g", ROOT, { uid: KERNEL.uid, gid: 50 });
      files.changeMode("/tmp/g", ROOT, 0o2775);
      files.makeDirectory("/tmp/g/d", KERNEL);
      files.writeAll("/tmp/g/f", bytesOf(""), KERNEL, { mode: 0o2755 });
      const created = files
        .list("/tmp/g", ROOT)
        .map(({ name, mode, uid, gid }) => [name, mode.toString(8), uid, gid]);
      expect(created).toEqual([
        ["d", "2755", KERNEL.uid, 50],
        ["f", "755", KERNEL.uid, 50],
      ]);
    }));

  it("clears set-uid when a user writes or the owner changes, but not when root writes", () =>
    withFiles(({ files }) => {
      const modeAfter = (path: string, work: () => void) => {
        files.writeAll(path, bytesOf("program"), ROOT);
        files.changeMode(path, ROOT, 0o6777);
        work();
        return files.status(path, ROOT).mode.toString(8);
      };
      expect(modeAfter("/tmp/a", () => files.writeAll("/tmp/a", bytesOf("x"), ROOT))).toBe("6777");
      expect(modeAfter("/tmp/b", () => files.writeAll("/tmp/b", bytesOf("x"), KERNEL))).toBe("777");
      expect(modeAfter("/tmp/c", () => files.writeRange("/tmp/c", bytesOf("x"), KERNEL, 2))).toBe("777");
      expect(modeAfter("/tmp/d", () => files.truncate("/tmp/d", KERNEL, 2))).toBe("777");
      expect(modeAfter("/tmp/e", () => files.changeOwner("/tmp/e", ROOT, { uid: 5 }))).toBe("777");
    }));

  it("does not set set-gid for a foreign group", () =>
    withFiles(({ files }) => {
      files.writeAll("/tmp/f", bytesOf(""), ROOT);
      files.changeOwner("/tmp/f", ROOT, { uid: KERNEL.uid, gid: 0 });
      files.changeMode("/tmp/f", KERNEL, 0o2755);
      expect(files.status("/tmp/f", ROOT).mode).toBe(0o755);
      files.changeOwner("/tmp/f", KERNEL, { gid: KERNEL.gid });
      files.changeMode("/tmp/f", KERNEL, 0o2755);
      expect(files.status("/tmp/f", ROOT).mode).toBe(0o2755);
    }));

  it("changes the owner of a symlink or of its target", () =>
    withFiles(({ files }) => {
      files.writeAll("/tmp/f", bytesOf(""), ROOT);
      files.symlink("f", "/tmp/l", ROOT);
      files.changeOwner("/tmp/l", ROOT, { uid: 7 });
      files.changeOwner("/tmp/l", ROOT, { gid: 8 }, { followSymlink: false });
      const owners = files.list("/tmp", ROOT).map(({ name, uid, gid }) => [name, uid, gid]);
      expect(owners).toEqual([
        ["f", 7, 0],
        ["l", 0, 8],
      ]);
    }));

  it("starts with the standard directories and users", () =>
    withFiles(({ files }) => {
      const described = [
        "/",
        "/home/kernel",
        "/home/kernel/Downloads",
        "/root",
        "/tmp",
        "/var/tmp",
        "/usr/local/bin",
      ];
      const found = described.map((path) => {
        const { mode, uid, gid } = files.status(path, ROOT);
        return [path, mode.toString(8), uid, gid];
      });
      expect(found).toEqual([
        ["/", "755", 0, 0],
        ["/home/kernel", "755", 1000, 1000],
        ["/home/kernel/Downloads", "755", 1000, 1000],
        ["/root", "700", 0, 0],
        ["/tmp", "1777", 0, 0],
        ["/var/tmp", "1777", 0, 0],
        ["/usr/local/bin", "755", 0, 0],
      ]);
      expect(new TextDecoder().decode(files.readAll("/etc/passwd", KERNEL))).toBe(
        "root:x:0:0:root:/root:/bin/bash\nkernel:x:1000:1000:kernel:/home/kernel:/bin/bash\n",
      );
    }));
});
