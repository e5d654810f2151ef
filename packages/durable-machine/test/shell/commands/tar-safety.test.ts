import { describe, expect, it } from "vitest";
import { paddingOf, type TarMember, writeHeader } from "../../../src/shell/commands/tar/tar-header.ts";
import { ROOT } from "../../../src/users.ts";
import { DIRECTORY, onMachine, type TestMachine } from "../processes.ts";

const encoder = new TextEncoder();

type Part = Partial<TarMember> & { name: string; content?: string };

/** An archive as somebody means ill would make it. */
function archiveOf(parts: readonly Part[]): Uint8Array {
  const pieces = parts.flatMap(({ content = "", ...fields }) => {
    const bytes = encoder.encode(content);
    const member: TarMember = {
      type: "file",
      mode: 0o644,
      uid: 0,
      gid: 0,
      userName: "root",
      groupName: "root",
      size: bytes.length,
      modifiedAt: 0,
      target: "",
      ...fields,
    };
    return [...writeHeader(member), bytes, new Uint8Array(paddingOf(bytes.length))];
  });
  return Uint8Array.from([...pieces.flatMap((piece) => [...piece]), ...new Uint8Array(1024)]);
}

async function extract(machine: TestMachine, parts: readonly Part[], options = "") {
  machine.files.writeAll(`${DIRECTORY}/t.tar`, archiveOf(parts), ROOT);
  machine.files.makeDirectory("/outside", ROOT);
  return await machine.bash(
    `mkdir in; tar xf t.tar -C in ${options}; echo $?; cd in; find . | sort; ls /outside`,
  );
}

describe("an archive that would write elsewhere", () => {
  it("writes all the same only where it is extracted", () =>
    onMachine(async (machine) => {
      const { stdout, stderr } = await extract(machine, [
        { name: "../outside/a", content: "x" },
        { name: "/outside/b", content: "x" },
        { name: "c/../../outside/d", content: "x" },
        { name: "..", content: "x" },
      ]);
      expect(stdout).toBe(
        "0\n.\n./a\n./outside\n./outside/a\n./outside/b\n./outside/d\n".replace("./a\n", ""),
      );
      expect(stderr).toContain("Removing leading `../' from member names");
      expect(stderr).toContain("Removing leading `/' from member names");
    }));

  it.each([
    ["absolute", "/outside"],
    ["with dots", "../../../outside"],
  ])("does not write through a symlink that it has made itself: %s", (_, target) =>
    onMachine(async (machine) => {
      const { stdout } = await extract(machine, [
        { name: "way", type: "symlink", target },
        { name: "way/evil", content: "x" },
      ]);
      expect(stdout).toBe("2\n.\n./way\n./way/evil\n");
    }),
  );

  it("does not write through a hard link to a symlink that it has made itself", () =>
    onMachine(async (machine) => {
      machine.files.writeAll("/victim", encoder.encode("safe"), ROOT);
      await extract(machine, [
        { name: "way", type: "symlink", target: "/victim" },
        { name: "again", type: "link", target: "way" },
        { name: "again", content: "evil" },
        { name: "way", content: "evil" },
      ]);
      expect(machine.files.readAll("/victim", ROOT)).toEqual(encoder.encode("safe"));
    }));

  it("makes no hard link to what is elsewhere", () =>
    onMachine(async (machine) => {
      machine.files.writeAll("/victim", encoder.encode("safe"), ROOT);
      const { stderr } = await extract(machine, [{ name: "l", type: "link", target: "/victim" }]);
      expect(stderr).toContain("l: Cannot hard link to 'victim': No such file or directory");
      expect(machine.files.status("/victim", ROOT).links).toBe(1);
    }));

  it("does not write through a file or a symlink that is in the way", () =>
    onMachine(async (machine) => {
      machine.files.writeAll("/victim", encoder.encode("safe"), ROOT);
      machine.files.makeDirectory(`${DIRECTORY}/in`, ROOT);
      machine.files.symlink("/victim", `${DIRECTORY}/in/f`, ROOT);
      machine.files.link("/victim", `${DIRECTORY}/in/g`, ROOT);
      await extract(machine, [
        { name: "f", content: "new" },
        { name: "g", content: "new" },
      ]);
      expect(machine.files.readAll("/victim", ROOT)).toEqual(encoder.encode("safe"));
      expect(machine.files.readAll(`${DIRECTORY}/in/f`, ROOT)).toEqual(encoder.encode("new"));
    }));

  it("still has its symlinks in the end", () =>
    onMachine(async (machine) => {
      const { stdout } = await extract(machine, [
        { name: "d/", type: "directory" },
        { name: "d/up", type: "symlink", target: "../f" },
        { name: "f", content: "x" },
        { name: "abs", type: "symlink", target: "/outside" },
      ]);
      expect(stdout).toBe("0\n.\n./abs\n./d\n./d/up\n./f\n");
      expect(machine.files.readSymlink(`${DIRECTORY}/in/d/up`, ROOT)).toBe("../f");
      expect(machine.files.readSymlink(`${DIRECTORY}/in/abs`, ROOT)).toBe("/outside");
    }));
});

describe("an archive that is not what it says", () => {
  it.each([
    [
      "a name of a mebibyte and more",
      [{ name: "x", type: "other" as const, size: 2 ** 30 }],
      "Unexpected EOF",
    ],
    ["a size beyond its end", [{ name: "x", size: 10_000_000, content: "x" }], "Unexpected EOF in archive"],
  ])("is refused: %s", (_, parts, message) =>
    onMachine(async (machine) => {
      const { stdout, stderr } = await extract(machine, parts);
      expect(stdout).toMatch(/^2\n/);
      expect(stderr).toContain(message);
    }),
  );

  it.each([
    ["printf 'BZh91AY' > t; tar tf t", "tar: bzip2: not available on this machine"],
    ["tar cjf t.tar.bz2 /etc/hostname", "tar: bzip2: not available on this machine"],
    ["tar cJf t.tar.xz /etc/hostname", "tar: xz: not available on this machine"],
    ["tar --delete -f t x", "tar: only -c, -r, -t and -x are supported on this machine"],
    [
      "tar cf t.tar /etc/hostname 2>/dev/null; gzip -c t.tar | head -c 50 > cut.tgz; tar tf cut.tgz",
      "Child returned status 1",
    ],
  ])("%s", (script, message) =>
    onMachine(async (machine) => {
      const { stderr, end } = await machine.bash(script);
      expect(stderr).toContain(message);
      expect(end).toEqual({ by: "exit", code: 2 });
    }),
  );
});

describe("modes and owners", () => {
  it("are those of the archive for root, and the user's own for others", () =>
    onMachine(async (machine) => {
      const parts: Part[] = [
        {
          name: "d/",
          type: "directory",
          mode: 0o777,
          uid: 1000,
          gid: 1000,
          userName: "kernel",
          groupName: "kernel",
        },
        { name: "d/s", mode: 0o4755, uid: 77, gid: 78, userName: "", groupName: "", content: "x" },
      ];
      await extract(machine, parts);
      const { stdout } = await machine.bash("stat -c '%n %a %u:%g' in/d in/d/s");
      expect(stdout).toBe("in/d 777 1000:1000\nin/d/s 4755 77:78\n");
      const user = { name: "kernel", uid: 1000, gid: 1000, home: "/home/kernel" };
      const own = await machine.bash(
        "mkdir own; tar xf /tmp/work/t.tar -C own; stat -c '%n %a %u:%g' own/d own/d/s",
        { user, directory: user.home },
      );
      expect(own.stdout).toBe("own/d 755 1000:1000\nown/d/s 755 1000:1000\n");
    }));
});
