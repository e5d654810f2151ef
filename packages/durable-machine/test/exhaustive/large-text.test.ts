import { describe, expect, it } from "vitest";
import { ROOT } from "../../src/users.ts";
import { DIRECTORY, onMachine } from "../shell/processes.ts";

describe("seq", () => {
  it("writes a million numbers", () =>
    onMachine(async (machine) => {
      const { stdout, stderr, end } = await machine.run(["seq", "1000000"]);
      expect(stderr).toBe("");
      expect(end).toEqual({ by: "exit", code: 0 });
      expect(stdout).toHaveLength(6_888_896);
      expect(stdout.endsWith("\n999999\n1000000\n")).toBe(true);
    }));

  it("ends at the output limit of a process", () =>
    onMachine(async (machine) => {
      const { stdout, end } = await machine.run(["seq", "1000000000"], { limits: { outputBytes: 100_000 } });
      expect(end).toMatchObject({ by: "limit" });
      expect(stdout).toHaveLength(100_000);
    }));

  it("reports output above the limit of a pipe", () =>
    onMachine(async (machine) => {
      const { stderr } = await machine.bash("seq 1000000000 | tail -n 1", { limits: { pipeBytes: 100_000 } });
      expect(stderr).toContain("output larger than 100000 bytes in a pipe");
    }));
});

describe("sort", () => {
  it("sorts text up to its limit", () =>
    onMachine(async (machine) => {
      const { stdout, stderr } = await machine.bash(
        "seq 300000 | shuf > n; sort -n n | cmp - <(seq 300000) && sort -rn n | head -n 1; sort n | tail -n 1",
      );
      expect({ stdout, stderr }).toEqual({ stdout: "300000\n99999\n", stderr: "" });
    }));

  it("fails above its limit", () =>
    onMachine(async (machine) => {
      const { stdout, stderr, end } = await machine.bash("seq 1000 | sort", { limits: { textBytes: 3000 } });
      expect({ stdout, stderr, end }).toEqual({
        stdout: "",
        stderr: "sort: memory exhausted\n",
        end: { by: "exit", code: 2 },
      });
    }));

  it.each([
    ["-V", ".a"],
    ["-n", "0"],
    ["-k2,2", "a "],
  ])("takes time proportional to the length of a line: %s", (option, repeated) =>
    onMachine(async (machine) => {
      const line = `.${repeated.repeat(300_000)}1!`;
      machine.files.writeAll(`${DIRECTORY}/lines`, new TextEncoder().encode(`${line}\n${line}0\n`), ROOT);
      const { stdout, end } = await machine.bash(`sort ${option} lines | wc -l`);
      expect({ stdout, end }).toEqual({ stdout: "2\n", end: { by: "exit", code: 0 } });
    }),
  );

  it("can be killed", () =>
    onMachine(async (machine) => {
      const { end } = await machine.bash("seq 300000 | shuf > n; timeout 0.1 sort -V n > o; exit $?");
      expect(end).toEqual({ by: "exit", code: 124 });
    }));

  it("groups equal lines in random order", () =>
    onMachine(async (machine) => {
      const { stdout } = await machine.bash(
        "for i in 1 2 3; do seq 50; done | sort -R | uniq -c | tr -s ' ' | cut -d' ' -f2 | sort -u",
      );
      expect(stdout).toBe("3\n");
    }));
});

describe("uniq", () => {
  it("fails for a line longer than its limit", () =>
    onMachine(async (machine) => {
      const { stderr, end } = await machine.bash("head -c 5000 /dev/zero | uniq", {
        limits: { textBytes: 4000 },
      });
      expect({ stderr, end }).toEqual({ stderr: "uniq: memory exhausted\n", end: { by: "exit", code: 1 } });
    }));
});
