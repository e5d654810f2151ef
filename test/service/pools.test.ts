import { chromium } from "playwright-core";
import { describe, expect, test } from "vitest";
import { waitForAvailable } from "../conformance/pool-state.ts";
import { SharedService } from "../conformance/shared-service.ts";
import { openSite } from "../conformance/site.ts";
import { keepForFile } from "../outside/keep-for-file.ts";

const service = await SharedService.use();
const site = keepForFile(await openSite());

describe("acquire", () => {
  test("waits for the first browser and leases it to one caller", async () => {
    const kernel = service.kernel(await service.createOrganization());
    const { id } = await kernel.browserPools.create({ size: 1, fill_rate_per_minute: 25 });
    const session = await kernel.browserPools.acquire(id, {});
    expect(await kernel.browserPools.retrieve(id)).toMatchObject({ available_count: 0, acquired_count: 1 });
    expect(await kernel.browserPools.acquire(id, { acquire_timeout_seconds: 0 })).toBeNull();
    await kernel.browserPools.release(id, { session_id: session.session_id });
    expect(await kernel.browserPools.retrieve(id)).toMatchObject({ available_count: 1, acquired_count: 0 });
    await kernel.browserPools.delete(id, { force: true });
  });

  test("returns a session with the settings of the pool and the request", async () => {
    const kernel = service.kernel(await service.createOrganization());
    const pool = await kernel.browserPools.create({
      size: 1,
      name: "warm",
      timeout_seconds: 120,
      viewport: { width: 1024, height: 768 },
      start_url: "about:blank",
    });
    await waitForAvailable(kernel, pool.id, 1);
    // Idle browsers are not listed as sessions.
    expect(await Array.fromAsync(kernel.browsers.list({ status: "all" }))).toEqual([]);
    const tags = { team: "backend" };
    const start_url = `${site.origin}/popup`;
    const acquiredAt = Date.now();
    const session = await kernel.browserPools.acquire("warm", { name: "job", tags, start_url });
    expect(session).toMatchObject({
      session_id: expect.stringMatching(/^[a-z0-9]{24}$/),
      pool: { id: pool.id, name: "warm" },
      timeout_seconds: 120,
      viewport: { width: 1024, height: 768, refresh_rate: 60 },
      headless: false,
      stealth: false,
      name: "job",
      tags,
      start_url,
    });
    expect(session.browser_live_view_url).toBeTruthy();
    expect(Date.parse(session.created_at)).toBeGreaterThanOrEqual(acquiredAt - 1000);
    const { pool: listedPool, created_at } = session;
    const expected = { session_id: session.session_id, pool: listedPool, created_at, name: "job", tags };
    for (const idOrName of [session.session_id, "job"]) {
      expect(await kernel.browsers.retrieve(idOrName)).toMatchObject(expected);
    }
    expect(await Array.fromAsync(kernel.browsers.list({ tags }))).toMatchObject([expected]);

    const browser = await chromium.connectOverCDP(session.cdp_ws_url);
    const [context] = browser.contexts();
    await context?.pages()[0]?.waitForURL(start_url);
    expect(await context?.pages()[0]?.title()).toBe("Popup");
    const page = await context?.newPage();
    await page?.goto(site.origin);
    await page?.click("#count");
    expect(await page?.textContent("#count")).toBe("1");
    await browser.close();

    await kernel.browserPools.update("warm", { size: 1, name: "renamed" });
    expect((await kernel.browsers.retrieve("job")).pool).toEqual({ id: pool.id, name: "renamed" });
    await kernel.browserPools.delete(pool.id, { force: true });
  });
});
