import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../src/users.ts";
import { patternOf, withFiles } from "../file-system/open-files.ts";
import { KERNEL_USER } from "../identity.ts";
import { DIRECTORY, onMachine, TestMachine } from "../shell/processes.ts";

const MEBIBYTE = 2 ** 20;

const LARGE = 40 * MEBIBYTE;

const TIMEOUT_MS = 120_000;

/** Writes a file without repeating pieces. */
function writeLargeFile(machine: TestMachine, path: string, length: number): void {
  machine.files.writeAll(path, new Uint8Array(0), ROOT);
  for (let offset = 0; offset < length; offset += MEBIBYTE) {
    machine.files.writeRange(path, patternOf(Math.min(MEBIBYTE, length - offset), offset), ROOT, offset);
  }
}

async function sha256(machine: TestMachine, path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of machine.files.read(path, ROOT).body) hash.update(piece);
  return hash.digest("hex");
}

describe("files larger than a pipe's limit", () => {
  it(
    "are handled byte by byte by commands",
    () =>
      onMachine(async (machine) => {
        writeLargeFile(machine, `${DIRECTORY}/big`, LARGE);
        const sum = await sha256(machine, `${DIRECTORY}/big`);
        const { stdout, stderr } = await machine.bash(
          [
            "sha256sum big",
            "wc -c big",
            "cp big copy; cmp big copy && echo same",
            "dd if=big of=dd bs=64K status=none; cmp big dd && echo same",
            "tar czf t.tgz big; rm big; tar xzf t.tgz; cmp big copy && echo same",
            "mv big moved; cmp moved copy && echo same",
            "tail -c 5 copy | xxd -p",
            "tail -c +41943036 copy | xxd -p",
            "head -c -41943035 copy | xxd -p",
            "dd if=copy bs=1M skip=20 count=1 status=none | sha256sum",
          ].join("\n"),
        );
        const hexAt = (offset: number) =>
          Buffer.from(machine.files.readRange(`${DIRECTORY}/copy`, ROOT, offset, 5)).toString("hex");
        const end = hexAt(LARGE - 5);
        const start = hexAt(0);
        const middle = machine.files.readRange(`${DIRECTORY}/copy`, ROOT, 20 * MEBIBYTE, MEBIBYTE);
        const middleSum = createHash("sha256").update(middle).digest("hex");
        expect(stderr).toBe("");
        expect(stdout.split("\n")).toEqual([
          `${sum}  big`,
          `${LARGE} big`,
          "same",
          "same",
          "same",
          "same",
          end,
          end,
          start,
          `${middleSum}  -`,
          "",
        ]);
      }),
    TIMEOUT_MS,
  );

  it("fail in a pipe with a clear message", () =>
    onMachine(async (machine) => {
      writeLargeFile(machine, `${DIRECTORY}/big`, 3 * MEBIBYTE);
      const limits = { pipeBytes: MEBIBYTE };
      const { stdout, stderr } = await machine.bash("cat big | wc -c; echo on", { limits });
      expect(stdout).toContain("on\n");
      expect(stderr).toMatch(/cat: .*larger than 1048576 bytes.*limit of this machine/);
    }));

  it("are written in pieces at the reader's pace", () =>
    onMachine(async (machine) => {
      writeLargeFile(machine, `${DIRECTORY}/big`, 4 * MEBIBYTE);
      let written = 0;
      let pieces = 0;
      let waiting = 0;
      const started = machine.start(["cat", "big"], {
        onOutput: async (_, bytes) => {
          expect(waiting).toBe(0);
          waiting++;
          written += bytes.length;
          pieces++;
          await new Promise((resolve) => setTimeout(resolve, 0));
          waiting--;
        },
      });
      expect((await started.ended()).end).toEqual({ by: "exit", code: 0 });
      expect(written).toBe(4 * MEBIBYTE);
      expect(pieces).toBeGreaterThan(4);
    }));
});

describe("quota", () => {
  it("fails writes above it and keeps existing files", () =>
    withFiles(
      async ({ files }) => {
        const machine = new TestMachine(files);
        const { stdout, stderr } = await machine.bash(
          [
            "echo kept > kept",
            "dd if=/dev/zero of=zeros bs=64K count=100 2>&1 | head -1",
            "rm zeros",
            "head -c 1200000 /dev/urandom > some; cp some other; cp some third; echo $?",
            "tar cf all.tar some other; echo $?; rm -f all.tar",
            "truncate -s 1G huge; rm -f huge",
            "xxd some dump; echo $?; rm -f dump",
            "cat kept; cmp some other && echo same",
          ].join("\n"),
        );
        expect(stdout.split("\n")).toEqual([
          "dd: error writing 'zeros': No space left on device",
          "1",
          "2",
          "1",
          "kept",
          "same",
          "",
        ]);
        expect(stderr.split("\n")).toEqual([
          "cp: error writing 'third': No space left on device",
          "tar: all.tar: Cannot write: No space left on device",
          "tar: Error is not recoverable: exiting now",
          "truncate: failed to truncate 'huge': No space left on device",
          "xxd: /tmp/work/dump: No space left on device",
          "",
        ]);
      },
      { quotaBytes: 3 * MEBIBYTE },
    ));

  it("is reported by df", () =>
    withFiles(
      async ({ files }) => {
        const machine = new TestMachine(files);
        const { stdout } = await machine.bash("df -k .; df -h / | tail -1; df nope; df -P . | head -1");
        const [heading, row, human, portable] = stdout.split("\n");
        expect(heading).toBe("Filesystem     1K-blocks  Used Available Use% Mounted on");
        expect(row).toMatch(/^machine +3072 +\d+ +\d+ +\d+% \/$/);
        expect(human).toMatch(/^machine +3.0M +\S+ +\S+ +\d+% \/$/);
        expect(portable).toBe("Filesystem     1024-blocks  Used Available Capacity Mounted on");
      },
      { quotaBytes: 3 * MEBIBYTE },
    ));
});

describe("devices", () => {
  it.each([
    ["head -c 100000 /dev/urandom | wc -c", "100000\n"],
    ["head -c 3 /dev/zero | xxd -p", "000000\n"],
    ["dd if=/dev/urandom of=r bs=1000 count=3 status=none; wc -c r", "3000 r\n"],
    ["cat /dev/null; wc -c < /dev/null", "0\n"],
    ["cp /dev/null n; stat -c %s n", "0\n"],
    ["echo in | cp /dev/stdin c; cat c", "in\n"],
    ["echo in | cat /dev/stdin", "in\n"],
    ["cat <(echo one) <(echo two)", "one\ntwo\n"],
    ["stat -c %F /dev/null", "character special file\n"],
    [
      "test $(head -c 16 /dev/urandom | md5sum | head -c 8) != $(head -c 16 /dev/urandom | md5sum | head -c 8); echo $?",
      "0\n",
    ],
  ])("%s", (script, stdout) =>
    onMachine(async (machine) => {
      const options = { user: KERNEL_USER, directory: KERNEL_USER.home };
      expect(await machine.bash(script, options)).toMatchObject({ stdout, stderr: "" });
    }),
  );
});

describe("long-running commands", () => {
  /** Each of these handles enough data for more than ten turns of the event loop. */
  it.each([
    "md5sum big",
    "wc big",
    "wc -l big",
    "cp big copy",
    "cat big > /dev/null",
    "cat -n big > /dev/null",
    "dd if=big of=copy bs=64K status=none",
    "head -c 8000000 /dev/zero > /dev/null",
    "head -c 8M big | xxd > /dev/null",
    "tar cf t.tar big",
    "tar czf t.tgz big",
    "shuf -i 1-100000 > /dev/null",
    "cp -r many copy",
    "ls -lR many",
    "chmod -R 700 many",
    "chown -R 5 many",
    "rm -rv many",
    "tar cf t.tar many",
    "yes | head -c 4000000 > /dev/null",
  ])("yield to the event loop: %s", (script) =>
    onMachine(async (machine) => {
      if (script.includes("big")) writeLargeFile(machine, `${DIRECTORY}/big`, 48 * MEBIBYTE);
      for (let index = 0; script.includes("many") && index < 1000; index++) {
        const directory = `${DIRECTORY}/many/${index % 10}`;
        machine.files.makeDirectory(directory, ROOT, { parents: true });
        machine.files.writeAll(`${directory}/${index}`, new Uint8Array(10), ROOT);
      }
      let turns = 0;
      const turn = () => {
        turns++;
        timer = setTimeout(turn, 0);
      };
      let timer = setTimeout(turn, 0);
      const { stderr } = await machine.bash(script, { limits: { outputBytes: 2 ** 40 } });
      clearTimeout(timer);
      expect(stderr).toBe("");
      // The shortest commands take few turns on a fast computer.
      expect(turns).toBeGreaterThan(1);
    }),
  );
});
