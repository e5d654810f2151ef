import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { brokerOf } from "../../../src/platform/broker/index.ts";
import { newClient, operator } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { crashObject } from "../../objects.ts";
import { readSessionRows } from "../../records.ts";

const browsers = useFakeBrowsers();

/** No other file uses its broker. */
const region = "eeur";

async function fillAccount() {
  await crashObject(brokerOf(env, region), (storage) => storage.deleteAll());
  browsers.living.clear();
  browsers.limits.maxBrowsers = 1;
  const client = await newClient();
  const { session_id } = await client.createSession({ region });
  return () => client.delete(`/browsers/${session_id}`);
}

const log = vi.spyOn(console, "log");
const isQueueing = () => log.mock.calls.some(([line]) => String(line).includes('"browser_launch_queued"'));

let freeSlot: () => Promise<unknown>;

beforeEach(async () => {
  freeSlot = await fillAccount();
  log.mockClear();
});
afterEach(() => {
  env.LAUNCH_WAIT_SECONDS = "20";
});
afterAll(() => log.mockRestore());

describe("a create while no browser is free", () => {
  it("is served once one is closed", async () => {
    const client = await newClient();
    const creating = client.post("/browsers", { region });
    await expect.poll(isQueueing).toBe(true);
    await freeSlot();
    expect((await creating).status).toBe(200);
  });

  it("is refused after the wait, with Retry-After", async () => {
    env.LAUNCH_WAIT_SECONDS = "1";
    const client = await newClient();
    const response = await client.post("/browsers", { region, name: "worker" });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(await readSessionRows(client.organizationId)).toEqual([]);
  });

  it("leaves the queue when its caller disconnects", async () => {
    env.LAUNCH_WAIT_SECONDS = "100";
    const client = await newClient();
    const caller = new AbortController();
    const creating = client.call("POST", "/browsers", {
      body: { region, name: "gone" },
      signal: caller.signal,
    });
    creating.catch(() => undefined);
    await expect.poll(isQueueing).toBe(true);
    caller.abort();
    await expect.poll(() => readSessionRows(client.organizationId)).toEqual([]);
    await freeSlot();
    await expect.poll(() => browsers.living.size).toBe(0);
  });

  it("leaves the queue when its session is ended", async () => {
    env.LAUNCH_WAIT_SECONDS = "100";
    const client = await newClient();
    const creating = client.post("/browsers", { region, name: "ended" });
    await expect.poll(() => readSessionRows(client.organizationId)).toHaveLength(1);
    await expect.poll(isQueueing).toBe(true);
    const [row] = await readSessionRows(client.organizationId);
    await operator.delete(`/admin/sessions/${row?.id}`);
    expect((await creating).status).toBe(503);
    expect(await readSessionRows(client.organizationId)).toEqual([]);
  });
});

it.each(["launched", "prepared"])(
  "gives up a browser that is being %s when the caller has left",
  async (phase) => {
    await freeSlot();
    const gate = Promise.withResolvers<void>();
    if (phase === "launched") browsers.launchGate = gate.promise;
    else browsers.socketGate = gate.promise;
    const client = await newClient();
    const caller = new AbortController();
    const before = browsers.launched.length;
    const creating = client.call("POST", "/browsers", { body: { region }, signal: caller.signal });
    creating.catch(() => undefined);
    if (phase === "launched") await expect.poll(() => browsers.launching).toBe(1);
    else await expect.poll(() => browsers.launched.length).toBe(before + 1);
    caller.abort();
    const isGivenUp = () =>
      log.mock.calls.some(([line]) => String(line).includes('"session_start_given_up"'));
    if (phase === "launched") await expect.poll(isGivenUp).toBe(true);
    else await expect.poll(() => browsers.living.size).toBe(0);
    gate.resolve();
    await expect.poll(() => browsers.launched.length).toBe(before + 1);
    await expect.poll(isGivenUp).toBe(true);
    await expect.poll(() => browsers.living.size).toBe(0);
    expect(await readSessionRows(client.organizationId)).toEqual([]);
  },
);
