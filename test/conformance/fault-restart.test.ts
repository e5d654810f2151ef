import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DevToolsClient, refusedUpgrade } from "./devtools-client.ts";
import { type Organization, Service } from "./service.ts";

/** The sweep leaves alone what is younger than two minutes. */
const PAST_GRACE_MS = 180_000;

let service: Service;
/** An organization with room for one session: whoever holds its place keeps all others out. */
let organization: Organization;

beforeAll(async () => {
  service = await Service.start();
  organization = await service.createOrganization({ max_concurrent_sessions: 1 });
});
afterAll(() => service.end());

function kernelOfOrganization() {
  return service.kernel({ apiKey: organization.apiKey });
}

/** Ends the organization's one session and proves that its place can be taken. */
async function expectFreePlace(): Promise<void> {
  const kernel = kernelOfOrganization();
  const { session_id } = await kernel.browsers.create();
  await kernel.browsers.deleteByID(session_id);
}

describe("SIGKILL of the service and all it has started", () => {
  test("with an inactivity time-out that passes meanwhile: the session has ended after the restart", async () => {
    const kernel = kernelOfOrganization();
    const { session_id, cdp_ws_url } = await kernel.browsers.create({ timeout_seconds: 10 });
    const idleSince = performance.now();
    await service.kill();
    expect(service.processes()).toEqual([]);
    await setTimeout(idleSince + 10_000 - performance.now());
    await service.restart();

    const findEnded = () => kernel.browsers.retrieve(session_id, { include_deleted: true });
    await expect.poll(findEnded, { timeout: 10_000 }).toMatchObject({
      end_reason: "inactivity",
      deleted_at: expect.any(String),
    });
    expect(await Array.fromAsync(kernel.browsers.list())).toEqual([]);
    const deleted = await Array.fromAsync(kernel.browsers.list({ status: "deleted" }));
    expect(deleted.map((session) => session.session_id)).toEqual([session_id]);
    expect(await refusedUpgrade(cdp_ws_url)).toMatchObject({ status: 410 });
    await expectFreePlace();
    // It ended as the service came up, which is part of its log, too.
    expect(service.log.events({ event: "session_ended", session_id })).toHaveLength(1);
  });

  test("with a client connected: the session ends as browser_lost once somebody asks for it", async () => {
    const kernel = kernelOfOrganization();
    const { session_id, cdp_ws_url } = await kernel.browsers.create({ timeout_seconds: 600 });
    using client = await DevToolsClient.connect(cdp_ws_url);
    await service.kill();
    expect(await client.closed).toMatchObject({ code: 1006 });
    await service.restart();

    // The first to come finds no browser behind the session; whoever comes after that is told of its end.
    expect([410, 503]).toContain((await refusedUpgrade(cdp_ws_url)).status);
    const refusal = () => refusedUpgrade(cdp_ws_url);
    await expect.poll(refusal, { timeout: 10_000 }).toMatchObject({ status: 410 });
    const ended = await kernel.browsers.retrieve(session_id, { include_deleted: true });
    expect(ended).toMatchObject({ end_reason: "browser_lost" });
    await expectFreePlace();
  });

  test("in the middle of a create: after the sweep nothing is left of it and its name is free", async () => {
    const kernel = kernelOfOrganization();
    const before = await Array.fromAsync(kernel.browsers.list({ status: "all" }));
    await expect.poll(() => service.browsers(), { timeout: 10_000 }).toEqual([]);
    const creating = kernel.browsers.create({ name: "half-made" }).then(
      () => "created",
      () => "broken off",
    );
    await service.untilBrowserLaunches();
    await service.kill();
    expect(await creating).toBe("broken off");
    await service.restart();
    await service.runScheduled({ laterMs: PAST_GRACE_MS });

    expect(service.browsers()).toEqual([]);
    const listed = await Array.fromAsync(kernel.browsers.list({ status: "all" }));
    expect(listed.map(({ session_id }) => session_id)).toEqual(before.map(({ session_id }) => session_id));
    const heir = await kernel.browsers.create({ name: "half-made" });
    await kernel.browsers.deleteByID(heir.session_id);
  });
});

describe("SIGTERM", () => {
  test("with several sessions open leaves no process; the next start knows key and sessions", async () => {
    const kernel = service.kernel();
    const sessions = await Promise.all(Array.from({ length: 4 }, () => kernel.browsers.create()));
    const ids = sessions.map(({ session_id }) => session_id).sort();
    const clients = await Promise.all(sessions.map(({ cdp_ws_url }) => DevToolsClient.connect(cdp_ws_url)));
    expect(service.browsers()).toHaveLength(4);
    expect(await service.stop()).toBe(0);
    await Promise.all(clients.map(({ closed }) => closed));
    expect(service.processes()).toEqual([]);

    await service.restart();
    await service.runScheduled({ laterMs: PAST_GRACE_MS });
    expect(await Array.fromAsync(kernel.browsers.list())).toEqual([]);
    const deleted = await Array.fromAsync(kernel.browsers.list({ status: "deleted" }));
    expect(deleted.map(({ session_id }) => session_id).sort()).toEqual(ids);
    for (const session of deleted) expect(session).toMatchObject({ end_reason: "browser_lost" });
    // The organization that the operator made, and its key, are still there.
    await expectFreePlace();
  });
});
