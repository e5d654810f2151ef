import { describe, expect, it } from "vitest";
import { ScriptWorkers } from "../../src/playwright/script-workers.ts";

describe("the Workers of scripts", () => {
  it("are taken again by the same script once they are idle, and by no other", () => {
    const workers = new ScriptWorkers();
    const first = workers.take("a");
    expect(workers.keep("a", first)).toBeUndefined();
    expect(workers.take("b")).not.toBe(first);
    expect(workers.take("a")).toBe(first);
  });

  it("have one run at a time", () => {
    const workers = new ScriptWorkers();
    const names = [workers.take("a"), workers.take("a")];
    expect(new Set(names).size).toBe(2);
    workers.keep("a", names[0] ?? "");
    expect(workers.take("a")).toBe(names[0]);
    expect(names).not.toContain(workers.take("a"));
  });

  it("are not taken again unless they are kept", () => {
    const workers = new ScriptWorkers();
    expect(workers.take("a")).not.toBe(workers.take("a"));
  });

  it("are kept one for each script", () => {
    const workers = new ScriptWorkers();
    const [first, second] = [workers.take("a"), workers.take("a")];
    expect(workers.keep("a", first)).toBeUndefined();
    expect(workers.keep("a", second)).toBe(first);
    expect(workers.take("a")).toBe(second);
  });

  it("are kept for the scripts that ran last", () => {
    const workers = new ScriptWorkers();
    const scripts = Array.from({ length: 8 }, (_, index) => `script ${index}`);
    const names = scripts.map((script) => workers.take(script));
    for (const [index, script] of scripts.entries()) workers.keep(script, names[index] ?? "");
    // The oldest runs once more, and so is the last.
    workers.keep("script 0", workers.take("script 0"));
    expect(workers.keep("another", workers.take("another"))).toBe(names[1]);
    expect(workers.take("script 0")).toBe(names[0]);
    expect(workers.take("script 1")).not.toBe(names[1]);
  });
});
