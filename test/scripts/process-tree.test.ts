import { describe, expect, it } from "vitest";
import { findProcessTree } from "../../scripts/local/process-tree.ts";

const entry = (pid: number, parent: number, command = "x", started = `at ${pid}`) => ({
  pid,
  parent,
  started,
  command,
});

const MARKER = "/tmp/berth-AbCdEf";

const table = [
  entry(1, 0, "init"),
  entry(10, 1, "wrangler"),
  entry(11, 10, "workerd"),
  entry(12, 10, `chrome --user-data-dir=${MARKER}/profile`),
  entry(13, 12, "renderer"),
  entry(20, 1, `chrome --user-data-dir=${MARKER}/other`),
  entry(21, 20, "renderer of an orphan"),
  entry(30, 1, "another service's chrome --user-data-dir=/tmp/berth-ZyXwVu/profile"),
  entry(31, 30, "another service's renderer"),
];

const pids = (known: { pid: number; started: string }[], marker = "/none") =>
  findProcessTree(table, { known, marker })
    .map(({ pid }) => pid)
    .sort((a, b) => a - b);

describe("findProcessTree", () => {
  it.each([
    ["all descendants of a known process", [{ pid: 10, started: "at 10" }], "/none", [10, 11, 12, 13]],
    ["nothing for a reused pid", [{ pid: 10, started: "earlier" }], "/none", []],
    ["orphans that name the temporary folder", [], MARKER, [12, 13, 20, 21]],
    ["known processes and orphans", [{ pid: 10, started: "at 10" }], MARKER, [10, 11, 12, 13, 20, 21]],
    ["a known process without its parent", [{ pid: 13, started: "at 13" }], "/none", [13]],
    ["nothing without known processes and orphans", [], "/none", []],
  ])("finds %s", (_, known, marker, expected) => {
    expect(pids(known, marker)).toEqual(expected);
  });

  it("lists parents before their children", () => {
    const order = findProcessTree(table, { known: [{ pid: 10, started: "at 10" }], marker: "/none" });
    expect(order[0]?.pid).toBe(10);
  });
});
