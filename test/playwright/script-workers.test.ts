import { describe, expect, it } from "vitest";
import { ScriptWorkers } from "../../src/playwright/script-workers.ts";

/** Names of Workers for runs of a script, one after the other, each kept when its run is over. */
function runOneByOne(workers: ScriptWorkers, script: string, times: number): string[] {
  return Array.from({ length: times }, () => {
    const worker = workers.take(script);
    workers.keep(script, worker);
    return worker.name;
  });
}

describe("the Workers of scripts", () => {
  it("are taken again by the same script once they are idle, and by no other", () => {
    const workers = new ScriptWorkers();
    const [first, second] = runOneByOne(workers, "a", 2);
    expect(second).toBe(first);
    expect(workers.take("b").name).not.toBe(first);
    expect(workers.take("a").name).toBe(first);
  });

  it("have one run at a time", () => {
    const workers = new ScriptWorkers();
    const [first, second] = [workers.take("a"), workers.take("a")];
    expect(second.name).not.toBe(first.name);
    workers.keep("a", first);
    expect(workers.take("a").name).toBe(first.name);
    expect([first.name, second.name]).not.toContain(workers.take("a").name);
  });

  it("are not taken again unless they are kept", () => {
    const workers = new ScriptWorkers();
    expect(workers.take("a").name).not.toBe(workers.take("a").name);
  });

  it("are kept one for each script, which the other makes room for", () => {
    const workers = new ScriptWorkers();
    const [first, second] = [workers.take("a"), workers.take("a")];
    expect(workers.keep("a", first)).toBeUndefined();
    expect(workers.keep("a", second)).toBe(first);
    expect(workers.take("a").name).toBe(second.name);
  });

  it("are kept for the scripts that ran last", () => {
    const workers = new ScriptWorkers();
    const names = Array.from({ length: 8 }, (_, index) => runOneByOne(workers, `script ${index}`, 1)[0]);
    // The oldest runs once more, and so is the last.
    runOneByOne(workers, "script 0", 1);
    expect(workers.keep("another", workers.take("another"))?.name).toBe(names[1]);
    expect(workers.take("script 0").name).toBe(names[0]);
    expect(workers.take("script 1").name).not.toBe(names[1]);
  });

  it("have a hundred runs at most", () => {
    const workers = new ScriptWorkers();
    expect(new Set(runOneByOne(workers, "a", 100)).size).toBe(1);
    expect(new Set(runOneByOne(workers, "a", 101)).size).toBe(2);
    const worker = { ...workers.take("b"), runs: 100 };
    expect(workers.keep("b", worker)).toBe(worker);
  });
});
