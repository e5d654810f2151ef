import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { BrowserBroker, brokerOf } from "../../../src/platform/broker/index.ts";
import { GRACE_MS } from "../../../src/platform/broker/reconcile.ts";
import { type Client, newClient } from "../../api.ts";
import { DevTools } from "../../devtools.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { advanceTime, readRecord, restart, runAlarm } from "../../objects.ts";

const browsers = useFakeBrowsers();

/** The last picture waits for its answer. */
const TAKE_PICTURE = "Page.startScreencast";

afterEach(() => vi.restoreAllMocks());

interface Ended {
  id: string;
  browserId: string;
  devTools: DevTools;
}

/** Ends a session of some age whose browser does not give its last picture. */
async function endWithoutPicture(client: Client, options: object = {}, ageMs = 0): Promise<Ended> {
  const { session_id: id, cdp_ws_url } = await client.createSession(options);
  const devTools = await DevTools.connect(cdp_ws_url);
  await devTools.openPage();
  const { browserId = "" } = (await readRecord(id)) ?? {};
  browsers.silentMethods.add(TAKE_PICTURE);
  advanceTime(ageMs);
  expect((await client.delete(`/browsers/${id}`)).status).toBe(204);
  return { id, browserId, devTools };
}

async function readEnded(client: Client, id: string) {
  return (await client.get(`/browsers/${id}?include_deleted=true`)).read(sessionSchema);
}

describe("DELETE /browsers/{id}", () => {
  it("answers once the session has ended for everyone, while its browser still gives the last picture", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    const { id, browserId, devTools } = await endWithoutPicture(client);
    expect(browsers.living).toContain(browserId);
    expect((await client.get(`/browsers/${id}`)).status).toBe(404);
    expect(await readEnded(client, id)).toMatchObject({ end_reason: "deleted" });
    await devTools.heard.closed;
    // Neither the database nor the broker counts it.
    const next = await client.createSession();
    expect(browsers.living).toContain(browserId);
    await expect.poll(() => browsers.closed).toContain(browserId);
    await client.delete(`/browsers/${next.session_id}`);
  });

  it("keeps what its tabs showed", async () => {
    const client = await newClient();
    const { id } = await endWithoutPicture(client);
    await expect.poll(async () => (await readEnded(client, id)).evidence?.tabs).toHaveLength(2);
  });

  it("is finished by the alarm after a crash of the object", async () => {
    const client = await newClient();
    const { id, browserId } = await endWithoutPicture(client);
    await restart(id);
    expect(browsers.closed).not.toContain(browserId);
    advanceTime(10_000);
    expect(await runAlarm(id)).toBe(true);
    expect(browsers.closed).toContain(browserId);
    await expect.poll(() => readRecord(id)).toMatchObject({ hasFiles: true });
    const ended = await readEnded(client, id);
    expect(ended).toMatchObject({ end_reason: "deleted", evidence: { tabs: [{}, {}] } });
  });

  it("is announced by the alarm if the broker did not answer", async () => {
    const client = await newClient();
    vi.spyOn(BrowserBroker.prototype, "endSession").mockImplementation(() => {
      throw new Error("the broker is down");
    });
    const { id, browserId } = await endWithoutPicture(client);
    await expect.poll(() => browsers.closed).toContain(browserId);
    vi.restoreAllMocks();
    expect((await readRecord(id))?.end?.isAnnounced).toBeUndefined();
    advanceTime(10_000);
    await runAlarm(id);
    expect((await readRecord(id))?.end?.isAnnounced).toBe(true);
  });
});

describe("the broker", () => {
  it("leaves the browser of a session that has just ended, and closes it if it is never released", async () => {
    const broker = brokerOf(env, "apac");
    const release = vi.spyOn(BrowserBroker.prototype, "release").mockResolvedValue();
    const client = await newClient();
    const { browserId } = await endWithoutPicture(client, { region: "apac" }, GRACE_MS + 1000);
    await expect.poll(() => release.mock.calls.length).toBeGreaterThan(0);
    await broker.reconcile("apac", Date.now());
    expect(browsers.closed).not.toContain(browserId);
    await broker.reconcile("apac", Date.now() + GRACE_MS + 1000);
    expect(browsers.closed).toContain(browserId);
  });
});
