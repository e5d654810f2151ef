import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { parseProcEntry, parsePs, readProcessTable } from "../../scripts/local/process-table.ts";

const RUNNING = 0x400000;
const EXITING = 0x400004;

const fields = (state: string, parent: number, started: number, flags = RUNNING) =>
  `${state} ${parent} 7 7 0 -1 ${flags} 102 0 0 0 0 0 0 0 20 0 1 0 ${started} 3133440 412`;

describe("parseProcEntry", () => {
  it.each([
    ["a plain name", `42 (node) ${fields("S", 7, 9001)}`],
    ["a name with spaces and parentheses", `42 (a) b (c)) ${fields("S", 7, 9001)}`],
  ])("reads %s", (_, stat) => {
    expect(parseProcEntry(stat, "node\0scripts/start.ts\0")).toEqual({
      pid: 42,
      parent: 7,
      started: "9001",
      command: "node scripts/start.ts",
    });
  });

  it.each(["Z", "X"])("skips processes in state %s", (state) => {
    expect(parseProcEntry(`42 (node) ${fields(state, 7, 9001)}`, "")).toBeUndefined();
  });

  it.each(["R", "S", "D"])("skips exiting processes in state %s", (state) => {
    expect(parseProcEntry(`42 (node) ${fields(state, 7, 9001, EXITING)}`, "")).toBeUndefined();
  });
});

describe("parsePs", () => {
  it("returns every process that is not a zombie", () => {
    const output = [
      "    1     0 Ss   Thu Nov 19 08:01:02 2026     /sbin/launchd",
      "  501     1 S+   Fri Nov 20 21:58:00 2026     /Applications/Google Chrome.app/Contents/MacOS/Google Chrome --flag",
      "  502   501 Z    Fri Nov 20 21:58:01 2026     <defunct>",
      "",
    ].join("\n");
    expect(parsePs(output)).toEqual([
      { pid: 1, parent: 0, started: "Thu Nov 19 08:01:02 2026", command: "/sbin/launchd" },
      {
        pid: 501,
        parent: 1,
        started: "Fri Nov 20 21:58:00 2026",
        command: "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome --flag",
      },
    ]);
  });
});

describe("readProcessTable", () => {
  it("contains this process and its child", () => {
    const child = spawn("sleep", ["60"]);
    try {
      const table = readProcessTable();
      expect(table.find(({ pid }) => pid === process.pid)?.parent).toBe(process.ppid);
      expect(table.find(({ pid }) => pid === child.pid)).toMatchObject({
        parent: process.pid,
        command: "sleep 60",
      });
    } finally {
      child.kill();
    }
  });
});
