import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DevToolsClient } from "./devtools-client.ts";
import { Service } from "./service.ts";
import type { Organization } from "./service-client.ts";

/** The sweep leaves alone what is younger than two minutes. */
const PAST_GRACE_MS = 180_000;

/** A browser is lost once the platform has not known it for 15 seconds. */
const LOST_WITHIN_MS = 60_000;

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
  test("in the middle of a create: after the sweep nothing is left of it and its name is free", async () => {
    const kernel = kernelOfOrganization();
    const before = await Array.fromAsync(kernel.browsers.list({ status: "all" }));
    await expect.poll(() => service.browsers(), { timeout: 30_000 }).toEqual([]);
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
    const listed = () => Array.fromAsync(kernel.browsers.list());
    await expect.poll(listed, { timeout: LOST_WITHIN_MS }).toEqual([]);
    const deleted = await Array.fromAsync(kernel.browsers.list({ status: "deleted" }));
    expect(deleted.map(({ session_id }) => session_id).sort()).toEqual(ids);
    for (const session of deleted) expect(session).toMatchObject({ end_reason: "browser_lost" });
    // The organization that the operator made, and its key, are still there.
    await expectFreePlace();
  });
});
