import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import type { Check } from "../../../src/features/probe/check.ts";
import { holdChecks } from "../../../src/features/probe/checks/holds.ts";
import { pageChecks } from "../../../src/features/probe/checks/pages.ts";
import { streamChecks } from "../../../src/features/probe/checks/streams.ts";
import { ProbeContext } from "../../../src/features/probe/context.ts";

const open = ProbeContext.prototype.open;
afterEach(() => {
  ProbeContext.prototype.open = open;
});

/** Runs a check in a real browser, without storing its result. */
async function run(check: Check, options: { proxy?: string } = {}) {
  return runInDurableObject(env.PLATFORM_PROBE.getByName("slow"), async (_, state) => {
    const context = new ProbeContext(env, state, { seconds: 1, ...options });
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
  ["popups", holdChecks.hold_popups, "page ran at once"],
  ["frames", holdChecks.hold_frames, "iframe ran at once"],
  ["workers", holdChecks.hold_workers, "worker ran at once"],
])("sees whether %s wait", async (_, check, seen) => {
  expect(await run(check)).toMatchObject({ outcome: "holds" });
  change("Target.setAutoAttach", { waitForDebuggerOnStart: false });
  expect(await run(check)).toMatchObject({ outcome: "differs", seen: expect.stringContaining(seen) });
});

it("knows nothing if requests are not intercepted", async () => {
  change("Fetch.enable", { patterns: [{ urlPattern: "none" }] });
  expect(await run(holdChecks.hold_popups)).toMatchObject({ outcome: "untried" });
});

it("sees whether a context uses its proxy", async () => {
  expect(await run(pageChecks.context_proxy)).toMatchObject({ outcome: "untried", seen: "needs a proxy" });
  const proxy = "http://127.0.0.1:9";
  expect(await run(pageChecks.context_proxy, { proxy })).toEqual({
    outcome: "differs",
    seen: "ERR_PROXY_CONNECTION_FAILED",
  });
  change("Target.createBrowserContext", { proxyServer: "direct://" });
  expect((await run(pageChecks.context_proxy, { proxy })).outcome).not.toBe("holds");
});

it("a socket stays open while a stream of 100 MB is read beside it", async () => {
  expect(await run(streamChecks.sockets_beside_streams)).toMatchObject({
    outcome: "holds",
    seen: "100 MB were read; the socket stayed open",
  });
});
