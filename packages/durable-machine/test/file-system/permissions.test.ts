import { describe, expect, it } from "vitest";
import type { FileErrorCode } from "../../src/file-system/file-error.ts";
import type { FileSystem } from "../../src/file-system/file-system.ts";
import { permits } from "../../src/file-system/permissions.ts";
import { type Credentials, ROOT } from "../../src/users.ts";
import { KERNEL } from "../identity.ts";
import { bytesOf, errorCodeOf, OTHER_USER, withFiles } from "./open-files.ts";

const MEMBER = { uid: 3000, gid: KERNEL.gid, umask: 0o022 };

const RIGHTS: [string, number, Credentials, string][] = [
  ["the owner's bits count for the owner", 0o640, KERNEL, "rw-"],
  ["also where others may more", 0o077, KERNEL, "---"],
  ["the group's for a member", 0o750, MEMBER, "r-x"],
  ["also where others may more", 0o707, MEMBER, "---"],
  ["the others' for everybody else", 0o751, OTHER_USER, "--x"],
  ["root reads and writes what nobody may", 0o000, ROOT, "rw-"],
  ["and executes what somebody may", 0o001, ROOT, "rwx"],
];

describe("rights on a file", () => {
  it.each(RIGHTS)("%s: %o", (_, mode, credentials, expected) => {
    const file = { type: "file", mode, uid: KERNEL.uid, gid: KERNEL.gid } as const;
    const held = [4, 2, 1].map((right, index) =>
      permits(file, credentials, right) ? "rwx".charAt(index) : "-",
    );
    expect(held.join("")).toBe(expected);
  });

  it("are asked all together", () => {
    const file = { type: "file", mode: 0o600, uid: KERNEL.uid, gid: KERNEL.gid } as const;
    expect(permits(file, KERNEL, 6)).toBe(true);
    expect(permits(file, KERNEL, 7)).toBe(false);
  });

  it("let root go through a directory that nobody may", () => {
    expect(permits({ type: "directory", mode: 0, uid: 1, gid: 1 }, ROOT, 7)).toBe(true);
  });
});

/** Root's and the user's files: closed and open, in a directory of each, and in one for all. */
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
  ["reads what all may", (files) => files.readAll("/r/open", KERNEL), undefined],
  ["does not read what is closed", (files) => files.readAll("/r/closed", KERNEL), "EACCES"],
  ["does not go through what is closed", (files) => files.status("/r/private/open", KERNEL), "EACCES"],
  ["does not list what is closed", (files) => files.list("/r/private", KERNEL), "EACCES"],
  ["lists what may only be read", (files) => files.list("/r/listed", KERNEL), undefined],
  ["does not go through it", (files) => files.readAll("/r/listed/open", KERNEL), "EACCES"],
  ["does not list what may only be entered", (files) => files.list("/r/entered", KERNEL), "EACCES"],
  ["goes through it", (files) => files.readAll("/r/entered/open", KERNEL), undefined],
  ["goes up from it", (files) => files.readAll("/r/entered/../open", KERNEL), undefined],
  ["does not go up from what is closed", (files) => files.status("/r/private/../open", KERNEL), "EACCES"],
  [
    "does not write what others may read",
    (files) => files.writeAll("/r/open", bytesOf("x"), KERNEL),
    "EACCES",
  ],
  ["nor adds to it", (files) => files.writeAll("/r/open", bytesOf("x"), KERNEL, { append: true }), "EACCES"],
  ["nor truncates it", (files) => files.truncate("/r/open", KERNEL, 0), "EACCES"],
  [
    "makes no file in another's directory",
    (files) => files.writeAll("/r/new", bytesOf("x"), KERNEL),
    "EACCES",
  ],
  ["nor a directory", (files) => files.makeDirectory("/r/new", KERNEL), "EACCES"],
  ["nor one above one", (files) => files.makeDirectory("/r/new/x", KERNEL, { parents: true }), "EACCES"],
  ["finds one there first", (files) => files.makeDirectory("/r/listed", KERNEL), "EEXIST"],
  ["nor a symlink", (files) => files.symlink("x", "/r/new", KERNEL), "EACCES"],
  ["removes nothing there", (files) => files.unlink("/r/open", KERNEL), "EACCES"],
  ["renames nothing there", (files) => files.rename("/r/open", "/tmp/x", KERNEL), "EACCES"],
  ["renames nothing to there", (files) => files.rename("/home/kernel/f", "/r/x", KERNEL), "EACCES"],
  [
    "removes another's file from its own directory",
    (files) => files.unlink("/home/kernel/roots", KERNEL),
    undefined,
  ],
  ["keeps its hands off another's in a sticky one", (files) => files.unlink("/tmp/roots", KERNEL), "EPERM"],
  ["also by a rename", (files) => files.rename("/tmp/roots", "/tmp/x", KERNEL), "EPERM"],
  ["also by a rename over it", (files) => files.rename("/tmp/own", "/tmp/roots", KERNEL), "EPERM"],
  ["also a directory", (files) => files.removeDirectory("/tmp/roots-directory", KERNEL), "EPERM"],
  ["removes its own from there", (files) => files.unlink("/tmp/own", KERNEL), undefined],
  [
    "does not move a directory that it may not write",
    (files) => files.rename("/home/kernel/roots-directory", "/home/kernel/d/x", KERNEL),
    "EACCES",
  ],
  [
    "renames it where it is",
    (files) => files.rename("/home/kernel/roots-directory", "/home/kernel/renamed", KERNEL),
    undefined,
  ],
  ["sets its own mode", (files) => files.changeMode("/home/kernel/f", KERNEL, 0o600), undefined],
  ["sets no other's mode", (files) => files.changeMode("/r/open", KERNEL, 0o777), "EPERM"],
  ["sets its own times", (files) => setTimes(files, "/home/kernel/f"), undefined],
  ["sets no other's times", (files) => setTimes(files, "/r/set-uid"), "EPERM"],
  ["gives nothing away", (files) => files.changeOwner("/home/kernel/f", KERNEL, { uid: 0 }), "EPERM"],
  ["takes nothing", (files) => files.changeOwner("/r/open", KERNEL, { uid: KERNEL.uid }), "EPERM"],
  [
    "gives its own group",
    (files) => files.changeOwner("/home/kernel/f", KERNEL, { gid: KERNEL.gid }),
    undefined,
  ],
  ["gives no other group", (files) => files.changeOwner("/home/kernel/f", KERNEL, { gid: 0 }), "EPERM"],
  ["links its own", (files) => files.link("/home/kernel/f", "/home/kernel/g", KERNEL), undefined],
  [
    "links nothing that it may not write",
    (files) => files.link("/r/open", "/home/kernel/h", KERNEL),
    "EPERM",
  ],
  ["links no set-uid program", (files) => files.link("/r/set-uid", "/home/kernel/h", KERNEL), "EPERM"],
];

function setTimes(files: FileSystem, path: string): void {
  files.setTimes(path, KERNEL, { accessedAt: 1, modifiedAt: 2 });
}

describe("FileSystem", () => {
  it("lets a user do what their rights allow, and nothing else", () =>
    withFiles(({ files }) => {
      fill(files);
      const refusals = AS_KERNEL.map(([what, call]) => [what, errorCodeOf(() => call(files))]);
      expect(refusals).toEqual(AS_KERNEL.map(([what, , code]) => [what, code]));
    }));

  it("takes the umask from modes of new files", () =>
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

  it("keeps mode and owner of a file that is written anew", () =>
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

  it("hands on the group of a set-gid directory", () =>
    withFiles(({ files }) => {
      files.makeDirectory("/tmp/g", ROOT);
      files.changeOwner("/tmp/g", ROOT, { uid: KERNEL.uid, gid: 50 });
      files.changeMode("/tmp/g", ROOT, 0o2775);
      files.makeDirectory("/tmp/g/d", KERNEL);
      files.writeAll("/tmp/g/f", bytesOf(""), KERNEL, { mode: 0o2755 });
      const made = files
        .list("/tmp/g", ROOT)
        .map(({ name, mode, uid, gid }) => [name, mode.toString(8), uid, gid]);
      expect(made).toEqual([
        ["d", "2755", KERNEL.uid, 50],
        ["f", "755", KERNEL.uid, 50],
      ]);
    }));

  it("takes set-uid from what another writes or gets, but not from what root writes", () =>
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

  it("lets nobody set set-gid for a group that is not theirs", () =>
    withFiles(({ files }) => {
      files.writeAll("/tmp/f", bytesOf(""), ROOT);
      files.changeOwner("/tmp/f", ROOT, { uid: KERNEL.uid, gid: 0 });
      files.changeMode("/tmp/f", KERNEL, 0o2755);
      expect(files.status("/tmp/f", ROOT).mode).toBe(0o755);
      files.changeOwner("/tmp/f", KERNEL, { gid: KERNEL.gid });
      files.changeMode("/tmp/f", KERNEL, 0o2755);
      expect(files.status("/tmp/f", ROOT).mode).toBe(0o2755);
    }));

  it("gives a symlink, or what it names, another owner", () =>
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

  it("begins with the machine's directories and its users", () =>
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
