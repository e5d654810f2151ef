import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import type { Check } from "../../src/probe/check.ts";
import { tryFrames, tryPopups, tryWorkers } from "../../src/probe/checks/holds.ts";
import { tryContextProxy } from "../../src/probe/checks/pages.ts";
import { ProbeContext } from "../../src/probe/context.ts";

const open = ProbeContext.prototype.open;
afterEach(() => {
  ProbeContext.prototype.open = open;
});

/** Runs a check in a real browser, without storing its result. */
async function run(check: Check, options: { proxy?: string } = {}) {
  return runInDurableObject(env.PLATFORM_PROBE.getByName("slow"), async (_, { facets }) => {
    const onBrowsers = () => undefined;
    const context = new ProbeContext({ env, facets, options: { seconds: 1, ...options }, onBrowsers });
    try {
      return await check(context);
    } finally {
      await context.close();
    }
  });
}

/** Makes the platform do something else for a command. */
function change(method: string, changes: object): void {
  ProbeContext.prototype.open = async function (this: ProbeContext) {
    const opened = await open.call(this);
    const { connection } = opened;
    const send = connection._rawSend.bind(connection);
    connection._rawSend = (callbacks, name, params, ...rest) =>
      send(callbacks, name, name === method ? { ...params, ...changes } : params, ...rest);
    return opened;
  };
}

it.each([
  ["popups", tryPopups, "popup ran at once"],
  ["frames", tryFrames, "frame ran at once"],
  ["workers", tryWorkers, "worker ran at once"],
])("sees whether %s wait", async (_, check, seen) => {
  expect(await run(check)).toMatchObject({ outcome: "holds" });
  change("Target.setAutoAttach", { waitForDebuggerOnStart: false });
  expect(await run(check)).toMatchObject({ outcome: "differs", seen: expect.stringContaining(seen) });
});

it("sees whether requests are intercepted", async () => {
  change("Fetch.enable", { patterns: [{ urlPattern: "none" }] });
  expect(await run(tryPopups)).toMatchObject({
    outcome: "differs",
    seen: expect.stringContaining("Fetch.enable"),
  });
});

it("sees whether a context uses its proxy", async () => {
  expect(await run(tryContextProxy)).toMatchObject({ outcome: "untried", seen: "needs a proxy" });
  const proxy = "http://127.0.0.1:9";
  expect(await run(tryContextProxy, { proxy })).toEqual({
    outcome: "differs",
    seen: "ERR_PROXY_CONNECTION_FAILED",
  });
  change("Target.createBrowserContext", { proxyServer: "direct://" });
  expect((await run(tryContextProxy, { proxy })).outcome).not.toBe("holds");
});
