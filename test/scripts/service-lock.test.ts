import { describe, expect, it } from "vitest";
import { isHeld, parseRecord } from "../../scripts/local/service-lock.ts";
import { isTemporaryFolder } from "../../scripts/local/temporary-folder.ts";

const record = {
  holder: { pid: 42, started: "9001" },
  url: "http://127.0.0.1:8787",
  temporaryFolder: "/tmp/berth-AbC123",
  processes: [{ pid: 43, started: "9002" }],
};

const running = (pid: number, started: string) => [
  { pid, started, parent: 1, command: "node scripts/start.ts" },
];

describe("service lock", () => {
  it.each([
    ["held while its holder runs", running(42, "9001"), true],
    ["stale when no process has its pid", running(41, "9001"), false],
    ["stale when another process has its pid", running(42, "9003"), false],
  ])("is %s", (_, table, held) => {
    expect(isHeld(record, table)).toBe(held);
  });

  it("is parsed as written", () => {
    expect(parseRecord(JSON.stringify(record))).toEqual(record);
  });

  it.each([
    ["invalid JSON", "{"],
    ["an empty file", ""],
    ["no holder", JSON.stringify({ ...record, holder: undefined })],
    ["a folder that must not be removed", JSON.stringify({ ...record, temporaryFolder: "/home/me" })],
  ])("is undefined for %s", (_, text) => {
    expect(parseRecord(text)).toBeUndefined();
  });
});

describe("isTemporaryFolder", () => {
  it.each([
    ["/tmp/berth-AbC123", true],
    ["/var/folders/x/berth-AbC123", true],
    ["/tmp/berth-", false],
    ["/tmp/berth-AbC123/profile", false],
    ["/tmp", false],
    ["", false],
  ])("for %j is %s", (path, expected) => {
    expect(isTemporaryFolder(path)).toBe(expected);
  });
});
