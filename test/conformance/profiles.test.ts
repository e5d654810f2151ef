import { describe, expect, test } from "vitest";
import { keepForFile } from "../outside/keep-for-file.ts";
import { findBrowserPid } from "./browser-process.ts";
import { connectPage } from "./connect-page.ts";
import { openProxiedSite } from "./proxied-site.ts";
import { startProxyServer } from "./proxy-server.ts";
import { SharedService } from "./shared-service.ts";
import { expectedStorage, readInSession, readStorage, storeInSession, writeStorage } from "./site-storage.ts";

const site = keepForFile(await openProxiedSite());
const service = await SharedService.use();
const kernel = service.kernel();

function create(profile: { id?: string; name?: string; save_changes?: boolean }, options: object = {}) {
  return kernel.browsers.create({ timeout_seconds: 300, profile, ...options });
}

const storeInProfile = (profile: { id: string; save_changes?: boolean }, value: string, options = {}) =>
  storeInSession(kernel, site.origin, { profile, ...options }, value);

const readFromProfile = ({ id }: { id: string }, options = {}) =>
  readInSession(kernel, site.origin, { profile: { id }, ...options });

const endedSession = (id: string) => kernel.browsers.retrieve(id, { include_deleted: true });

describe("profile", () => {
  test("keeps data of sites that a session did not visit", async () => {
    const profile = await kernel.profiles.create({});
    await storeInProfile({ id: profile.id, save_changes: true }, "3");
    const session = await create({ id: profile.id, save_changes: true });
    const { browser, page } = await connectPage(session);
    await page.goto(`http://localhost:${site.port}/other-origin`);
    await writeStorage(page, "4");
    await browser.close();
    await kernel.browsers.deleteByID(session.session_id);
    const after = await create({ id: profile.id });
    const client = await connectPage(after);
    await client.page.goto(`http://localhost:${site.port}/other-origin`);
    expect(await client.page.evaluate(readStorage)).toEqual(expectedStorage("4"));
    await client.page.goto(`${site.origin}/first`);
    expect(await client.page.evaluate(readStorage)).toEqual(expectedStorage("3"));
    await client.browser.close();
    await kernel.browsers.deleteByID(after.session_id);
  });

  test("is saved when a session ends by inactivity", async () => {
    const profile = await kernel.profiles.create({});
    const session = await create({ id: profile.id, save_changes: true }, { timeout_seconds: 10 });
    const { browser, page } = await connectPage(session);
    await page.goto(`${site.origin}/idle`);
    await writeStorage(page, "5");
    await browser.close();
    await expect
      .poll(async () => (await endedSession(session.session_id)).deleted_at, { timeout: 40_000 })
      .toBeDefined();
    expect(await endedSession(session.session_id)).toMatchObject({ end_reason: "inactivity" });
    expect(await readFromProfile(profile)).toEqual(expectedStorage("5"));
  });

  test("is unchanged when the browser dies, and the session reports it", async () => {
    const profile = await kernel.profiles.create({});
    await storeInProfile({ id: profile.id, save_changes: true }, "6");
    const session = await create({ id: profile.id, save_changes: true });
    const pid = await findBrowserPid(session);
    const { browser, page } = await connectPage(session);
    await page.goto(`${site.origin}/lost`);
    await writeStorage(page, "7");
    process.kill(pid, "SIGKILL");
    await browser.close();
    await expect.poll(async () => (await endedSession(session.session_id)).deleted_at).toBeDefined();
    const ended = await endedSession(session.session_id);
    expect(ended).toMatchObject({
      end_reason: "browser_lost",
      end_details: expect.stringContaining("The profile was not saved"),
    });
    expect(await readFromProfile(profile)).toEqual(expectedStorage("6"));
  });

  test("holds one session's data after two concurrent saves", async () => {
    const profile = await kernel.profiles.create({});
    const sessions = await Promise.all([1, 2].map(() => create({ id: profile.id, save_changes: true })));
    await Promise.all(
      sessions.map(async (session, index) => {
        const { browser, page } = await connectPage(session);
        await page.goto(`${site.origin}/both`);
        await writeStorage(page, String(10 + index));
        await browser.close();
      }),
    );
    await Promise.all(sessions.map(({ session_id }) => kernel.browsers.deleteByID(session_id)));
    expect([expectedStorage("10"), expectedStorage("11")]).toContainEqual(await readFromProfile(profile));
  });

  test("can be loaded into a running session and is saved at its end", async () => {
    const profile = await kernel.profiles.create({ name: "late" });
    await storeInProfile({ id: profile.id, save_changes: true }, "8");
    const session = await kernel.browsers.create({ timeout_seconds: 300 });
    const { browser, page } = await connectPage(session);
    const updated = await kernel.browsers.update(session.session_id, {
      profile: { name: "late", save_changes: true },
    });
    expect(updated.profile).toMatchObject({ id: profile.id, name: "late" });
    await page.goto(`${site.origin}/late`);
    expect(await page.evaluate(readStorage)).toEqual(expectedStorage("8"));
    await writeStorage(page, "9");
    await expect(
      kernel.browsers.update(session.session_id, { profile: { id: profile.id } }),
    ).rejects.toMatchObject({ status: 409 });
    await browser.close();
    await kernel.browsers.deleteByID(session.session_id);
    expect(await readFromProfile(profile)).toEqual(expectedStorage("9"));
  });

  test("stays in use after deletion, and the session reports that nothing was saved", async () => {
    const profile = await kernel.profiles.create({ name: "gone" });
    const session = await create({ name: "gone", save_changes: true });
    await kernel.profiles.delete("gone");
    const { browser, page } = await connectPage(session);
    await page.goto(`${site.origin}/gone`);
    await writeStorage(page, "1");
    await browser.close();
    await kernel.browsers.deleteByID(session.session_id);
    expect(await endedSession(session.session_id)).toMatchObject({
      profile: { id: profile.id, name: "gone" },
      end_details: expect.stringContaining("deleted"),
    });
    await expect(create({ name: "gone" })).rejects.toMatchObject({ status: 400 });
  });

  test("works with a proxy, and survives a change of proxy", async () => {
    await using proxy = await startProxyServer({ resolve: site.resolve });
    const { host, port } = proxy;
    const { id: proxyId } = await kernel.proxies.create({
      type: "custom",
      protocol: "http",
      config: { host, port },
    });
    const profile = await kernel.profiles.create({});
    await storeInProfile({ id: profile.id, save_changes: true }, "12", { proxy_id: proxyId });
    expect(await readFromProfile(profile, { proxy_id: proxyId })).toEqual(expectedStorage("12"));
    expect(await readFromProfile(profile)).toEqual(expectedStorage("12"));
    const session = await create({ id: profile.id, save_changes: true }, { proxy_id: proxyId });
    await kernel.browsers.update(session.session_id, { proxy_id: "" });
    await kernel.browsers.deleteByID(session.session_id);
    expect(await readFromProfile(profile)).toEqual(expectedStorage("12"));
  });

  test("is loaded read-only into pool browsers; a lease can load another", async () => {
    const profile = await kernel.profiles.create({ name: "pooled" });
    await storeInProfile({ id: profile.id, save_changes: true }, "13");
    const pool = await kernel.browserPools.create({ size: 1, profile: { name: "pooled" } });
    expect(pool).toMatchObject({
      browser_pool_config: { profile: { name: "pooled" } },
      profile_id: profile.id,
    });
    const session = await kernel.browserPools.acquire(pool.id, { acquire_timeout_seconds: 30 });
    expect(session.profile).toMatchObject({ id: profile.id });
    const { browser, page } = await connectPage(session);
    await page.goto(`${site.origin}/pooled`);
    expect(await page.evaluate(readStorage)).toEqual(expectedStorage("13"));
    await writeStorage(page, "14");
    await browser.close();
    await kernel.browserPools.release(pool.id, { session_id: session.session_id, reuse: false });
    expect(await readFromProfile(profile)).toEqual(expectedStorage("13"));
    await kernel.browserPools.delete(pool.id, { force: true });

    const bare = await kernel.browserPools.create({ size: 1 });
    const leased = await kernel.browserPools.acquire(bare.id, { acquire_timeout_seconds: 30 });
    await kernel.browsers.update(leased.session_id, { profile: { id: profile.id, save_changes: true } });
    const client = await connectPage(leased);
    await client.page.goto(`${site.origin}/leased`);
    expect(await client.page.evaluate(readStorage)).toEqual(expectedStorage("13"));
    await writeStorage(client.page, "15");
    await client.browser.close();
    await kernel.browserPools.release(bare.id, { session_id: leased.session_id });
    expect(await readFromProfile(profile)).toEqual(expectedStorage("15"));
    const again = await kernel.browserPools.acquire(bare.id, { acquire_timeout_seconds: 30 });
    expect(again.session_id).toBe(leased.session_id);
    expect(again.profile).toBeUndefined();
    await kernel.browserPools.delete(bare.id, { force: true });
  });
});
