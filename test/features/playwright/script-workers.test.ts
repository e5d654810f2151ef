import { describe, expect, it } from "vitest";
import { ScriptWorkers } from "../../../src/features/playwright/script-workers.ts";

/** Runs a script several times in sequence and returns the Worker's name of each run. */
function runOneByOne(workers: ScriptWorkers, script: string, times: number): string[] {
  return Array.from({ length: times }, () => {
    const worker = workers.take(script);
    workers.keep(worker);
    return worker.name;
  });
}

describe("ScriptWorkers", () => {
  it("reuses an idle Worker for the same script only", () => {
    const workers = new ScriptWorkers();
    const [first, second] = runOneByOne(workers, "a", 2);
    expect(second).toBe(first);
    expect(workers.take("b").name).not.toBe(first);
    expect(workers.take("a").name).toBe(first);
  });

  it("gives a Worker one run at a time", () => {
    const workers = new ScriptWorkers();
    const [first, second] = [workers.take("a"), workers.take("a")];
    expect(second.name).not.toBe(first.name);
    workers.keep(first);
    expect(workers.take("a").name).toBe(first.name);
    expect([first.name, second.name]).not.toContain(workers.take("a").name);
  });

  it("does not reuse a Worker that was not kept", () => {
    const workers = new ScriptWorkers();
    expect(workers.take("a").name).not.toBe(workers.take("a").name);
  });

  it("keeps one Worker per script and returns the replaced one", () => {
    const workers = new ScriptWorkers();
    const [first, second] = [workers.take("a"), workers.take("a")];
    expect(workers.keep(first)).toBeUndefined();
    expect(workers.keep(second)).toBe(first);
    expect(workers.take("a").name).toBe(second.name);
  });

  it("keeps Workers of the most recent scripts", () => {
    const workers = new ScriptWorkers();
    const names = Array.from({ length: 8 }, (_, index) => runOneByOne(workers, `script ${index}`, 1)[0]);
    // Running the oldest again makes it the most recent.
    runOneByOne(workers, "script 0", 1);
    expect(workers.keep(workers.take("another"))?.name).toBe(names[1]);
    expect(workers.take("script 0").name).toBe(names[0]);
    expect(workers.take("script 1").name).not.toBe(names[1]);
  });

  it("uses the name of an evicted Worker again when it has ended", () => {
    const workers = new ScriptWorkers();
    const evicted = workers.take("a");
    expect(workers.take("a").name).not.toBe(evicted.name);
    workers.release(evicted);
    expect(workers.take("b").name).not.toBe(evicted.name);
    expect(workers.take("a")).toEqual({ ...evicted, isNew: false });
    expect(workers.take("a").name).not.toBe(evicted.name);
  });

  it("remembers the names of the last 1,000 scripts", () => {
    const workers = new ScriptWorkers();
    const released = Array.from({ length: 1001 }, (_, index) => workers.take(`script ${index}`));
    for (const worker of released) workers.release(worker);
    expect(workers.take("script 0").name).not.toBe(released[0]?.name);
    expect(workers.take("script 1").name).toBe(released[1]?.name);
  });

  it("retires a Worker after 100 runs", () => {
    const workers = new ScriptWorkers();
    expect(new Set(runOneByOne(workers, "a", 100)).size).toBe(1);
    expect(new Set(runOneByOne(workers, "a", 101)).size).toBe(2);
    const worker = { ...workers.take("b"), runs: 100 };
    expect(workers.keep(worker)).toBe(worker);
  });
});
