import { setTimeout } from "node:timers/promises";
import type Kernel from "@onkernel/sdk";
import { beforeAll, describe, expect, test, vi } from "vitest";
import {
  type DeployedApp,
  deployApp,
  followToEnd,
  invoke,
  invokeAsync,
  logLines,
  statesOf,
  waitForLogLine,
} from "../conformance/apps.ts";
import { DevToolsClient, readUpgradeError } from "../conformance/devtools-client.ts";
import { LiveViewSuite } from "../conformance/live-view-fixture.ts";
import { LiveViewPage } from "../conformance/live-view-page.ts";
import { useService } from "../conformance/use-service.ts";

/** Alarms recover interrupted work within 8 seconds. */
const RECOVERY_TIMEOUT_MS = 60_000;
const TIMEOUT_MS = 10_000;

const SOURCE = `
app.action("stay", async (context: KernelContext) => {
  const session = await kernel.browsers.create({ timeout_seconds: 600 });
  console.log("browsing");
  await new Promise(() => setInterval(() => {}, 1000));
});

app.action("echo", async (context: KernelContext, payload?: unknown) => payload);
`;

const service = await useService();
const suite = await LiveViewSuite.use(service);

describe("restart after SIGKILL", () => {
  /** Times out while the service is down. Its organization is limited to one session. */
  let idle: { kernel: Kernel; id: string; address: string };
  let connected: { kernel: Kernel; id: string; address: string };
  let machine: { kernel: Kernel; id: string; processId: string };
  let invocation: { kernel: Kernel; app: DeployedApp; id: string; finishedId: string };
  let view: LiveViewPage;

  beforeAll(async () => {
    [invocation, view] = await Promise.all([beginInvocations(), openView()]);
    const waiting = invoke(invocation.kernel, invocation.app, "stay").then(
      () => "completed",
      () => "aborted",
    );
    await vi.waitFor(
      async () => {
        const running = invocation.kernel.invocations.list({ status: "running" });
        expect(await Array.fromAsync(running)).toHaveLength(2);
      },
      { timeout: RECOVERY_TIMEOUT_MS },
    );
    connected = await openSession(600_000);
    using client = await DevToolsClient.connect(connected.address);
    // The sweep at startup skips sessions younger than two minutes.
    machine = await openMachine();
    idle = await openSession(TIMEOUT_MS, { max_concurrent_sessions: 1 });
    const idleSince = performance.now();

    await service.kill();
    expect(service.processes()).toEqual([]);
    expect(await client.closed).toMatchObject({ code: 1006 });
    expect(await waiting).toBe("aborted");
    await view.notice.getByText("Connection lost").waitFor();
    await setTimeout(idleSince + TIMEOUT_MS - performance.now());
    await service.restart();
  });

  test("keeps the audit log of all but the last second", async () => {
    const start = new Date(Date.now() - 600_000).toISOString();
    const logs = () =>
      Array.fromAsync(connected.kernel.auditLogs.list({ start, end: new Date().toISOString() }));
    // The calls after this one were made seconds before the kill.
    expect(await logs()).toContainEqual(expect.objectContaining({ method: "POST", path: "/browsers" }));
  });

  test("ends a session that ran a process as browser_lost", async () => {
    const { kernel, id, processId } = machine;
    const findEnded = () => kernel.browsers.retrieve(id, { include_deleted: true });
    await expect
      .poll(findEnded, { timeout: RECOVERY_TIMEOUT_MS })
      .toMatchObject({ end_reason: "browser_lost" });
    await expect(kernel.browsers.process.status(processId, { id })).rejects.toMatchObject({ status: 404 });
  });

  test("ends a session that timed out meanwhile and frees its slot", async () => {
    const { kernel, id, address } = idle;
    const findEnded = () => kernel.browsers.retrieve(id, { include_deleted: true });
    await expect.poll(findEnded, { timeout: RECOVERY_TIMEOUT_MS }).toMatchObject({
      end_reason: "inactivity",
      deleted_at: expect.any(String),
    });
    expect(await Array.fromAsync(kernel.browsers.list())).toEqual([]);
    const deleted = await Array.fromAsync(kernel.browsers.list({ status: "deleted" }));
    expect(deleted.map((session) => session.session_id)).toEqual([id]);
    expect(await readUpgradeError(address)).toMatchObject({ status: 410 });
    await kernel.browsers.deleteByID((await kernel.browsers.create()).session_id);
    expect(service.log.events({ event: "session_ended", session_id: id })).toHaveLength(1);
  });

  test("ends a session that had a client as browser_lost on the next connection", async () => {
    const { kernel, id, address } = connected;
    // The first connection may find the session without its browser; later ones find it ended.
    expect([410, 503]).toContain((await readUpgradeError(address)).status);
    const refusal = () => readUpgradeError(address);
    await expect.poll(refusal, { timeout: RECOVERY_TIMEOUT_MS }).toMatchObject({ status: 410 });
    const ended = await kernel.browsers.retrieve(id, { include_deleted: true });
    expect(ended).toMatchObject({ end_reason: "browser_lost" });
  });

  test("fails invocations and ends their browsers", async () => {
    const { kernel, app, id, finishedId } = invocation;
    const list = () => Array.fromAsync(kernel.invocations.list({ action_name: "stay" }));
    const failed = {
      status: "failed",
      status_reason: "The service was restarted while the action ran",
      finished_at: expect.any(String),
    };
    await expect.poll(list, { timeout: RECOVERY_TIMEOUT_MS }).toMatchObject([failed, failed]);
    const events = await followToEnd(kernel, id);
    expect(statesOf(events)).toEqual(["queued", "running", "failed"]);
    expect(logLines(events)).toEqual([expect.stringMatching(/^Created browser session \w+$/), "browsing"]);
    const sessions = () => Array.fromAsync(kernel.browsers.list());
    await expect.poll(sessions, { timeout: RECOVERY_TIMEOUT_MS }).toEqual([]);
    // A session is not listed while its browser is still being closed.
    await expect.poll(() => service.browsers(), { timeout: RECOVERY_TIMEOUT_MS }).toEqual([]);

    expect(await kernel.invocations.retrieve(finishedId)).toMatchObject({ output: '"before"' });
    expect(await invoke(kernel, app, "echo", { payload: "after" })).toMatchObject({ output: '"after"' });
  });

  test("shows a viewer that the session has ended", async () => {
    await view.notice.getByText("The session has ended").waitFor({ timeout: RECOVERY_TIMEOUT_MS });
    expect(await view.page.locator("#notice-text").textContent()).toMatch(/^Its browser crashed/);
    await view.close();
  });
});

async function openSession(timeoutMs: number, limits: { max_concurrent_sessions?: number } = {}) {
  const kernel = service.kernel(await service.createOrganization(limits));
  const created = await kernel.browsers.create({ timeout_seconds: timeoutMs / 1000 });
  return { kernel, id: created.session_id, address: created.cdp_ws_url };
}

async function openMachine() {
  const { kernel, id } = await openSession(600_000);
  const { process_id: processId = "" } = await kernel.browsers.process.spawn(id, {
    command: "sleep",
    args: ["1000"],
  });
  expect(await kernel.browsers.process.status(processId, { id })).toMatchObject({ state: "running" });
  return { kernel, id, processId };
}

/** Runs one invocation to its end, and leaves one running with a browser. */
async function beginInvocations() {
  const kernel = service.kernel(await service.createOrganization());
  const app = await deployApp(kernel, SOURCE);
  const finished = await invoke(kernel, app, "echo", { payload: "before" });
  const id = await invokeAsync(kernel, app, "stay", { timeout: 3600 });
  await waitForLogLine(kernel, id, "browsing");
  return { kernel, app, id, finishedId: finished.id };
}

async function openView(): Promise<LiveViewPage> {
  const session = await suite.createSession();
  return LiveViewPage.open(suite.viewers, session.browser_live_view_url);
}
