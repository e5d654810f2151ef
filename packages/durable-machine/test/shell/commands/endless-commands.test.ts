import { describe, expect, it } from "vitest";
import { ROOT } from "../../../src/users.ts";
import { DIRECTORY, onMachine } from "../processes.ts";

const encoder = new TextEncoder();

describe("yes", () => {
  it("writes until it is killed", () =>
    onMachine(async (machine) => {
      const { promise: hasWritten, resolve } = Promise.withResolvers<void>();
      const started = machine.start(["yes"], { onOutput: () => resolve(), limits: { outputBytes: 2 ** 40 } });
      await hasWritten;
      started.process.kill("KILL");
      expect((await started.ended()).end).toEqual({ by: "signal", signal: "KILL" });
      expect(started.stdout()).toMatch(/^(y\n)+$/);
    }));

  it("ends at the output limit of a process", () =>
    onMachine(async (machine) => {
      const { stdout, end } = await machine.run(["yes", "no"], { limits: { outputBytes: 100_000 } });
      expect(end).toMatchObject({ by: "limit" });
      expect(stdout.length).toBe(100_000);
    }));

  it("feeds a pipeline and ends without messages", () =>
    onMachine(async (machine) => {
      const { stdout, stderr, end } = await machine.bash(
        "yes a b | head -n 100000 | tail -n 1; yes | head -c 3; set -o pipefail; yes | tr -d '\\n' | head -c 2",
      );
      expect({ stdout, stderr, end }).toEqual({
        stdout: "a b\ny\nyyy",
        stderr: "",
        end: { by: "exit", code: 0 },
      });
    }));

  it.each([
    ["yes abc | head -c 5000000 | tail -c 6", "c\nabc\n"],
    ["yes | head -c 5000000 | wc -c", "5000000\n"],
    ["yes | tr -d '\\n' | head -c 5000000 | wc -c", "5000000\n"],
    ["yes | { read a; read b; echo $a$b; }", "yy\n"],
    ["tr -dc A-Za-z0-9 < /dev/urandom | head -c 20 | wc -c", "20\n"],
    ["cat /dev/urandom | tr -dc a-f | head -c 12 | wc -c", "12\n"],
    ["head -c 3000000 < /dev/zero | wc -c", "3000000\n"],
  ])("completes %j", (script, expected) =>
    onMachine(async (machine) => {
      const { stdout, stderr, end } = await machine.bash(script);
      expect({ stdout, stderr, end }).toEqual({
        stdout: expected,
        stderr: "",
        end: { by: "exit", code: 0 },
      });
    }),
  );

  it.each([
    ["yes $(printf %040d 1) | sed s/y/n/", "sed: standard input: endless input ends after "],
    ["yes | sort | tail -n 1", "sort: memory exhausted"],
    ["echo y > f; yes | join - f | tail -n 1", "join: memory exhausted"],
    ["tr -dc a-f < /dev/urandom | tail -c 1", "endless input ends after "],
    ["yes | cat | tail -c 1", "endless input ends after 33554432 bytes: limit of this machine"],
  ])("fails in %j, which reads more than the limit", (script, message) =>
    onMachine(async (machine) => {
      const { stderr, end } = await machine.bash(`set -o pipefail; ${script}`);
      expect(stderr).toContain(message);
      expect(end).not.toMatchObject({ code: 0 });
    }),
  );

  it("is ended by timeout", () =>
    onMachine(async (machine) => {
      const { end } = await machine.bash("timeout 0.2 yes > /dev/null; exit $?");
      expect(end).toEqual({ by: "exit", code: 124 });
    }));
});

describe("tail -f", () => {
  it("writes appended and replaced content until it is killed", () =>
    onMachine(async (machine) => {
      const { files } = machine;
      const log = `${DIRECTORY}/log`;
      files.writeAll(log, encoder.encode("one\ntwo\n"), ROOT);
      const started = machine.start(["tail", "-n", "1", "-f", "log"]);
      await started.reaches("two\n");
      files.writeAll(log, encoder.encode("three\n"), ROOT, { append: true });
      await started.reaches("three\n");
      files.writeAll(`${DIRECTORY}/other`, encoder.encode("no\n"), ROOT);
      files.writeAll(log, encoder.encode("new\n"), ROOT);
      await started.reaches("new\n");
      started.process.kill("TERM");
      expect((await started.ended()).end).toEqual({ by: "signal", signal: "TERM" });
      expect(started.stdout()).toBe("two\nthree\nnew\n");
    }));

  it("is ended by timeout", () =>
    onMachine(async (machine) => {
      const { stdout, end } = await machine.bash("echo x > log; timeout 0.2 tail -f log; exit $?");
      expect({ stdout, end }).toEqual({ stdout: "x\n", end: { by: "exit", code: 124 } });
    }));
});

describe("live input", () => {
  it("passes through cat and dd as it arrives", () =>
    onMachine(async (machine) => {
      const cat = machine.start(["cat"], { takesInput: true });
      cat.process.write(encoder.encode("a"));
      await cat.reaches("a");
      cat.process.write(encoder.encode("b\n"));
      await cat.reaches("ab\n");
      cat.process.closeInput();
      expect((await cat.ended()).end).toEqual({ by: "exit", code: 0 });
      const dd = machine.start(["dd", "bs=1", "count=3", "status=none"], { takesInput: true });
      dd.process.write(encoder.encode("xyzzy"));
      expect(await dd.ended()).toMatchObject({ stdout: "xyz", end: { by: "exit", code: 0 } });
    }));

  it("is consumed by head only as far as it is printed", () =>
    onMachine(async (machine) => {
      const started = machine.start(["bash", "-c", "head -n 1; read rest; echo [$rest]"], {
        takesInput: true,
      });
      started.process.write(encoder.encode("one\ntwo\n"));
      expect((await started.ended()).stdout).toBe("one\n[two]\n");
    }));
});
