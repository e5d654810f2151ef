import { expect, it } from "vitest";
import { ROOT } from "../../../src/users.ts";
import { DIRECTORY, onMachine, type TestMachine } from "../processes.ts";

const ARCHIVE = `${DIRECTORY}/a.zip`;

/** Changes the bytes of an archive. */
function patch(machine: TestMachine, change: (bytes: Buffer) => void): void {
  const { size } = machine.files.status(ARCHIVE, ROOT);
  const bytes = Buffer.from(machine.files.readRange(ARCHIVE, ROOT, 0, size));
  change(bytes);
  machine.files.writeAll(ARCHIVE, bytes, ROOT);
}

function rename(bytes: Buffer, from: string, to: string): void {
  for (let at = bytes.indexOf(from); at !== -1; at = bytes.indexOf(from, at + 1)) bytes.write(to, at);
}

it.each(["../../evil", "//tmp/evil", "x/../.evil"])("keeps %s in the destination", (name) =>
  onMachine(async (machine) => {
    await machine.bash("mkdir -p xx/yy out; echo evil > xx/yy/evil; zip -q a.zip xx/yy/evil");
    patch(machine, (bytes) => rename(bytes, "xx/yy/evil", name));
    const { end } = await machine.bash("cd out && unzip -q ../a.zip && find / -name '*evil' -newer ../a.zip");
    expect(end).toEqual({ by: "exit", code: 0 });
    const { stdout } = await machine.bash("find / -name '*evil'");
    const found = stdout.trim().split("\n");
    expect(found.filter((path) => !path.startsWith(`${DIRECTORY}/out/`))).toEqual([
      `${DIRECTORY}/xx/yy/evil`,
    ]);
    expect(found).toHaveLength(2);
  }),
);

it("does not write through a link of the archive", () =>
  onMachine(async (machine) => {
    await machine.bash("mkdir out; echo a > la; echo b > ld; zip -q a.zip la ld");
    patch(machine, (bytes) => {
      const central = bytes.indexOf("PK\x01\x02", "latin1");
      bytes.writeUInt16LE(0o120777, central + 40);
    });
    const { stdout } = await machine.bash("cd out && unzip -q ../a.zip; readlink la; cat ld");
    expect(stdout).toBe("a\n\nb\n");
  }));

it("unpacks no more than the archive says", () =>
  onMachine(async (machine) => {
    await machine.bash("head -c 20000000 /dev/zero > zeros; zip -q a.zip zeros; rm zeros");
    patch(machine, (bytes) => bytes.writeUInt32LE(10, bytes.indexOf("PK\x01\x02", "latin1") + 24));
    const { stderr, end } = await machine.bash("unzip -q a.zip; code=$?; wc -c zeros >&2; exit $code");
    expect(end).toEqual({ by: "exit", code: 3 });
    expect(stderr).toContain("bad CRC or length of zeros");
    expect(stderr).not.toContain("20000000");
  }));

it("refuses files that share bytes", () =>
  onMachine(async (machine) => {
    await machine.bash("echo a > a; echo b > b; zip -q a.zip a b");
    patch(machine, (bytes) =>
      bytes.writeUInt32LE(0, bytes.lastIndexOf("PK\x01\x02", undefined, "latin1") + 42),
    );
    const { stderr, end } = await machine.bash("unzip -qo a.zip");
    expect(end).toEqual({ by: "exit", code: 3 });
    expect(stderr).toContain("overlaps another file");
  }));

it("refuses a changed content", () =>
  onMachine(async (machine) => {
    await machine.bash("echo a > a; zip -q a.zip a");
    patch(machine, (bytes) => bytes.writeUInt32LE(7, bytes.indexOf("PK\x01\x02", "latin1") + 16));
    const { stderr, end } = await machine.bash("unzip -qo a.zip");
    expect(end).toEqual({ by: "exit", code: 3 });
    expect(stderr).toContain("bad CRC");
  }));
