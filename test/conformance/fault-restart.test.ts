import { beforeAll, describe, expect, test } from "vitest";
import { DevToolsClient } from "./devtools-client.ts";
import type { Organization } from "./service-client.ts";
import { useService } from "./use-service.ts";

/** The sweep skips anything younger than two minutes. */
const AFTER_GRACE_MS = 180_000;

/** A session is lost after 15 seconds without its browser. */
const LOSS_TIMEOUT_MS = 60_000;

/** Limited to one session, so that a leaked session blocks all others. */
let organization: Organization;

const service = await useService();

beforeAll(async () => {
  organization = await service.createOrganization({ max_concurrent_sessions: 1 });
});

function kernelOfOrganization() {
  return service.kernel({ apiKey: organization.apiKey });
}

async function expectFreeSlot(): Promise<void> {
  const kernel = kernelOfOrganization();
  const { session_id } = await kernel.browsers.create();
  await kernel.browsers.deleteByID(session_id);
}

describe("SIGKILL of all processes", () => {
  test("during a create leaves nothing after the sweep and frees the name", async () => {
    const kernel = kernelOfOrganization();
    const before = await Array.fromAsync(kernel.browsers.list({ status: "all" }));
    await expect.poll(() => service.browsers(), { timeout: 30_000 }).toEqual([]);
    const creating = kernel.browsers.create({ name: "half-made" }).then(
      () => "created",
      () => "aborted",
    );
    await service.waitForBrowserLaunch();
    await service.kill();
    expect(await creating).toBe("aborted");
    await service.restart();
    await service.runScheduled({ laterMs: AFTER_GRACE_MS });

    expect(service.browsers()).toEqual([]);
    const listed = await Array.fromAsync(kernel.browsers.list({ status: "all" }));
    expect(listed.map(({ session_id }) => session_id)).toEqual(before.map(({ session_id }) => session_id));
    const successor = await kernel.browsers.create({ name: "half-made" });
    await kernel.browsers.deleteByID(successor.session_id);
  });
});

describe("SIGTERM", () => {
  test("with open sessions leaves no process, and the next start keeps key and sessions", async () => {
    const kernel = service.kernel();
    const sessions = await Promise.all(Array.from({ length: 4 }, () => kernel.browsers.create()));
    const ids = sessions.map(({ session_id }) => session_id).sort();
    const clients = await Promise.all(sessions.map(({ cdp_ws_url }) => DevToolsClient.connect(cdp_ws_url)));
    expect(service.browsers()).toHaveLength(4);
    expect(await service.stop()).toBe(0);
    await Promise.all(clients.map(({ closed }) => closed));
    expect(service.processes()).toEqual([]);

    await service.restart();
    await service.runScheduled({ laterMs: AFTER_GRACE_MS });
    const listed = () => Array.fromAsync(kernel.browsers.list());
    await expect.poll(listed, { timeout: LOSS_TIMEOUT_MS }).toEqual([]);
    const deleted = await Array.fromAsync(kernel.browsers.list({ status: "deleted" }));
    expect(deleted.map(({ session_id }) => session_id).sort()).toEqual(ids);
    for (const session of deleted) expect(session).toMatchObject({ end_reason: "browser_lost" });
    // The organization and its key still exist.
    await expectFreeSlot();
  });
});
