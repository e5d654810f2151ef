import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { poolSchema } from "../../../src/features/browser-pools/schema.ts";
import { SessionMachine } from "../../../src/features/machine/index.ts";
import { BrowserBroker, sweepBrowsers } from "../../../src/platform/broker/index.ts";
import { newClient, ORIGIN, openSocket } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { readSessionRow, readSessionRows } from "../../records.ts";

const browsers = useFakeBrowsers();
afterEach(() => vi.restoreAllMocks());

async function browsersOf(region: "apac" | "oc") {
  return (await env.BROWSER_BROKER.getByName(region).listBrowsers()).map(({ sessionId }) => sessionId);
}

describe("the region of a session", () => {
  it("is stored, returned, and selects the broker", async () => {
    const client = await newClient();
    const { session_id, region } = await client.createSession({ region: "apac" });
    expect(region).toBe("apac");
    expect((await client.get(`/browsers/${session_id}`)).json).toMatchObject({ region: "apac" });
    expect(await readSessionRow(session_id)).toMatchObject({ region: "apac" });
    expect(await browsersOf("apac")).toContain(session_id);
    expect((await client.delete(`/browsers/${session_id}`)).status).toBe(204);
    await expect.poll(() => browsersOf("apac")).not.toContain(session_id);
  });

  it("is accepted by Kernel's names, and returned by Berth's", async () => {
    const client = await newClient();
    const { session_id, region } = await client.createSession({ region: "ap-southeast" });
    expect(region).toBe("apac-se");
    expect(await readSessionRow(session_id)).toMatchObject({ region: "apac-se" });
    const pool = await client.post("/browser_pools", { size: 1, region: "us-east" });
    expect(pool.read(poolSchema).browser_pool_config.region).toBe("enam");
    const socket = await openSocket(`${ORIGIN}/connect?region=eu-west&api_key=${client.token}`);
    const regions = (await readSessionRows(client.organizationId)).map((row) => row.region);
    expect(regions).toContain("weur");
    socket.close();
  });

  it("is where its objects are placed", async () => {
    const place = vi.spyOn(SessionMachine.prototype, "place");
    const placed = vi.spyOn(env.SESSION_MACHINE, "getByName");
    const client = await newClient();
    const { session_id } = await client.createSession({ region: "apac-ne" });
    expect(placed.mock.calls).toContainEqual([session_id, { locationHint: "apac-ne" }]);
    await expect.poll(() => place.mock.calls.length).toBe(1);
  });

  it("is absent unless it is given", async () => {
    const client = await newClient();
    expect(await client.createSession()).not.toHaveProperty("region");
  });

  it.each(["/browsers", "/browser_pools"])("is refused by POST %s when it is unknown", async (path) => {
    const client = await newClient();
    const response = await client.post(path, { size: 1, region: "moon" });
    expect(response.invalidFields).toEqual(["region"]);
  });

  it("is a parameter of connect URLs", async () => {
    const client = await newClient();
    const socket = await openSocket(`${ORIGIN}/connect?region=oc&api_key=${client.token}`);
    const [row] = await readSessionRows(client.organizationId);
    expect(row?.region).toBe("oc");
    socket.close();
  });

  it("of a pool is that of its sessions", async () => {
    const client = await newClient();
    const pool = (await client.post("/browser_pools", { size: 1, region: "oc" })).read(poolSchema);
    expect(pool.browser_pool_config.region).toBe("oc");
    await expect
      .poll(() => readSessionRows(client.organizationId))
      .toMatchObject([{ state: "idle", region: "oc" }]);
    const [row] = await readSessionRows(client.organizationId);
    expect(await browsersOf("oc")).toContain(row?.id);
  });

  it("is swept by its own broker", async () => {
    // The other broker would check the sessions of all files.
    const { reconcile } = BrowserBroker.prototype;
    vi.spyOn(BrowserBroker.prototype, "reconcile").mockImplementation(async function (
      this: BrowserBroker,
      region,
      now,
    ) {
      if (region === "apac") await reconcile.call(this, region, now);
    });
    const client = await newClient();
    const { session_id } = await client.createSession({ region: "apac", timeout_seconds: 3600 });
    const browserId = browsers.launched.at(-1) ?? "";
    await env.DB.prepare("UPDATE browser_sessions SET state = 'ended' WHERE id = ?").bind(session_id).run();
    await client.createSession({ region: "apac", timeout_seconds: 3600 });
    await sweepBrowsers(env, Date.now() + 180_000);
    await expect.poll(() => browsers.living).not.toContain(browserId);
  });
});
