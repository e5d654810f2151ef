import { createTarPacker, packTar, type TarHeader } from "modern-tar";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../../src/users.ts";
import { DIRECTORY, onMachine, type TestMachine } from "../processes.ts";

const encoder = new TextEncoder();

type Part = Partial<TarHeader> & { name: string; content?: string };

async function archiveOf(parts: readonly Part[]): Promise<Uint8Array> {
  const entries = parts.map(({ content = "", ...fields }) => {
    const body = encoder.encode(content);
    return {
      header: { size: body.length, mtime: new Date(0), uname: "root", gname: "root", ...fields },
      body,
    };
  });
  return await packTar(entries);
}

async function extractBytes(machine: TestMachine, archive: Uint8Array) {
  machine.files.writeAll(`${DIRECTORY}/t.tar`, archive, ROOT);
  machine.files.makeDirectory("/outside", ROOT);
  return await machine.bash("mkdir in; tar xf t.tar -C in; echo $?; cd in; find . | sort; ls /outside");
}

async function extract(machine: TestMachine, parts: readonly Part[]) {
  return await extractBytes(machine, await archiveOf(parts));
}

async function headerOf(header: TarHeader): Promise<Uint8Array> {
  const { readable, controller } = createTarPacker();
  controller.add(header);
  const { value } = await readable.getReader().read();
  return value ?? new Uint8Array(0);
}

describe("archives with paths outside of the destination", () => {
  it("are extracted inside the destination", () =>
    onMachine(async (machine) => {
      const { stdout, stderr } = await extract(machine, [
        { name: "../outside/a", content: "x" },
        { name: "/outside/b", content: "x" },
        { name: "c/../../outside/d", content: "x" },
        { name: "..", content: "x" },
      ]);
      expect(stdout).toBe("0\n.\n./outside\n./outside/a\n./outside/b\n./outside/d\n");
      expect(stderr).toContain("Removing leading `../' from member names");
      expect(stderr).toContain("Removing leading `/' from member names");
    }));

  it.each([
    ["absolute", "/outside"],
    ["with dots", "../../../outside"],
  ])("do not write through their own symlinks: %s", (_, target) =>
    onMachine(async (machine) => {
      const { stdout } = await extract(machine, [
        { name: "way", type: "symlink", linkname: target },
        { name: "way/evil", content: "x" },
      ]);
      expect(stdout).toBe("2\n.\n./way\n");
    }),
  );

  it("do not create symlinks through their own symlinks", () =>
    onMachine(async (machine) => {
      machine.files.makeDirectory("/victims", ROOT);
      machine.files.writeAll("/victims/x", encoder.encode("safe"), ROOT);
      await extract(machine, [
        { name: "way", type: "symlink", linkname: "/victims" },
        { name: "way/x", type: "symlink", linkname: "../evil" },
        { name: "./way/y", type: "symlink", linkname: "/evil" },
      ]);
      expect(machine.files.readAll("/victims/x", ROOT)).toEqual(encoder.encode("safe"));
      expect(machine.files.list("/victims", ROOT)).toHaveLength(1);
    }));

  it("do not write through hard links to their own symlinks", () =>
    onMachine(async (machine) => {
      machine.files.writeAll("/victim", encoder.encode("safe"), ROOT);
      await extract(machine, [
        { name: "way", type: "symlink", linkname: "/victim" },
        { name: "again", type: "link", linkname: "way" },
        { name: "again", content: "evil" },
        { name: "way", content: "evil" },
      ]);
      expect(machine.files.readAll("/victim", ROOT)).toEqual(encoder.encode("safe"));
    }));

  it("do not create hard links to files outside", () =>
    onMachine(async (machine) => {
      machine.files.writeAll("/victim", encoder.encode("safe"), ROOT);
      const { stderr } = await extract(machine, [{ name: "l", type: "link", linkname: "/victim" }]);
      expect(stderr).toContain("l: Cannot hard link to 'victim': No such file or directory");
      expect(machine.files.status("/victim", ROOT).links).toBe(1);
    }));

  it("replace existing links instead of writing through them", () =>
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

  it("still create their symlinks", () =>
    onMachine(async (machine) => {
      const { stdout } = await extract(machine, [
        { name: "d/", type: "directory" },
        { name: "d/up", type: "symlink", linkname: "../f" },
        { name: "f", content: "x" },
        { name: "abs", type: "symlink", linkname: "/outside" },
      ]);
      expect(stdout).toBe("0\n.\n./abs\n./d\n./d/up\n./f\n");
      expect(machine.files.readSymlink(`${DIRECTORY}/in/d/up`, ROOT)).toBe("../f");
      expect(machine.files.readSymlink(`${DIRECTORY}/in/abs`, ROOT)).toBe("/outside");
    }));
});

describe("invalid archives", () => {
  it("are rejected with a name of one gibibyte", () =>
    onMachine(async (machine) => {
      const header = await headerOf({ name: "x", type: "gnu-long-name", size: 2 ** 30 });
      const { stdout, stderr } = await extractBytes(machine, header);
      expect(stdout).toMatch(/^2\n/);
      expect(stderr).toContain("This does not look like a tar archive");
    }));

  it("are rejected with a size beyond the end", () =>
    onMachine(async (machine) => {
      const header = await headerOf({ name: "x", size: 10_000_000 });
      const { stdout, stderr } = await extractBytes(
        machine,
        Uint8Array.of(...header, ...new Uint8Array(1024)),
      );
      expect(stdout).toMatch(/^2\n/);
      expect(stderr).toContain("Unexpected EOF in archive");
    }));

  it("are extracted up to where they are truncated", () =>
    onMachine(async (machine) => {
      const archive = await archiveOf(["a", "b", "c"].map((name) => ({ name, content: "x" })));
      const { stdout, stderr } = await extractBytes(machine, archive.subarray(0, -1024));
      expect(stdout).toBe("2\n.\n./a\n./b\n./c\n");
      expect(stderr).toContain("Unexpected EOF in archive");
    }));

  it.each([
    ["printf 'BZh91AY' > t; tar tf t", "tar: bzip2: not available on this machine"],
    ["tar cjf t.tar.bz2 /etc/hostname", "tar: bzip2: not available on this machine"],
    ["tar cJf t.tar.xz /etc/hostname", "tar: xz: not available on this machine"],
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
  it("are restored for root only", () =>
    onMachine(async (machine) => {
      const parts: Part[] = [
        {
          name: "d/",
          type: "directory",
          mode: 0o777,
          uid: 1000,
          gid: 1000,
          uname: "kernel",
          gname: "kernel",
        },
        { name: "d/s", mode: 0o4755, uid: 77, gid: 78, uname: "", gname: "", content: "x" },
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
