import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { DeploymentEvent } from "../../../../src/features/apps/deployments/schema.ts";
import { findDeployment } from "../../../../src/features/apps/deployments/store.ts";
import { deploymentObject } from "../../../../src/features/apps/deployments/stub.ts";
import { failInvocationsOfDeployment } from "../../../../src/features/apps/invocations/fail-invocations.ts";
import { Invocation } from "../../../../src/features/apps/invocations/object.ts";
import { sessionSchema } from "../../../../src/features/sessions/session-schema.ts";
import { openDatabase } from "../../../../src/lib/database/client.ts";
import type { AppRow } from "../../../../src/lib/database/schema/apps.ts";
import { type Client, newClient, operator } from "../../../api.ts";
import { useFakeBrowsers } from "../../../fakes/browser-binding.ts";
import { crashObject, restart, runAlarm } from "../../../objects.ts";
import { readSessionRow, readSessionRows } from "../../../records.ts";
import { deployApp } from "../deployed-app.ts";
import { readEventsUntil } from "../deployments/deployments.ts";
import {
  invoke,
  invokeAsync,
  linesOf,
  readEvents,
  readInvocation,
  statesOf,
  waitForStatus,
} from "./actions.ts";
import { mockOutsideRequests } from "./outside-requests.ts";

const ACTIONS = {
  "browse-and-return": "return (await kernel.browsers.create({ timeout_seconds: 600 })).session_id;",
  "browse-and-throw":
    "await Promise.all([kernel.browsers.create(), kernel.browsers.create()]); throw new Error('enough');",
  "browse-and-wait": `await kernel.browsers.create({ timeout_seconds: 600 });
    await kernel.browsers.create({ timeout_seconds: 600 });
    await fetch("http://created.test/" + context.invocation_id); await new Promise(() => {});`,
  "browse-and-talk": `console.log("before");
    console.log(await kernel.browsers.create().then(({ session_id }) => session_id));`,
  wait: `await fetch("http://waiting.test/" + context.invocation_id); await new Promise(() => {});`,
  connect: `const { cdp_ws_url } = await kernel.browsers.create();
    const { webSocket } = await fetch(cdp_ws_url.replace(/^ws/, "http"), { headers: { upgrade: "websocket" } });
    webSocket.accept();
    const answer = new Promise((resolve) => webSocket.addEventListener("message", ({ data }) => resolve(data)));
    webSocket.send('{"id":1,"method":"Browser.getVersion"}');
    return JSON.parse(await answer).result.product;`,
};

const browsersSchema = z.object({ browsers: z.array(sessionSchema) });

useFakeBrowsers();
const outside = mockOutsideRequests();
const client = await newClient();
const app = await deployApp(client, ACTIONS);

/** Lets the deployment of a stored app keep logs. */
async function runDeployment({ deploymentId }: AppRow): Promise<void> {
  const row = await findDeployment(
    openDatabase(env.DB),
    { organizationId: client.organizationId, projectId: "" },
    deploymentId,
  );
  await crashObject(deploymentObject(env, deploymentId), ({ kv }) =>
    kv.put("deployment", { row, attempts: 1 }),
  );
}

/** Invokes an action that creates two sessions. @returns the id of the invocation. */
async function invokeBrowsing(owner: Client, ofOwner: AppRow): Promise<string> {
  const id = await invokeAsync(owner, ofOwner, "browse-and-wait");
  await expect.poll(() => outside.urls).toContain(`http://created.test/${id}`);
  return id;
}

async function listBrowsers(id: string): Promise<string[]> {
  const { browsers } = (await client.get(`/invocations/${id}/browsers`)).read(browsersSchema);
  return browsers.map(({ session_id }) => session_id);
}

async function endReasons(organizationId: string) {
  return (await readSessionRows(organizationId)).map(({ endReason }) => endReason);
}

describe("sessions that an action creates", () => {
  it("belong to its invocation and end with it", async () => {
    const { id, output } = await invoke(client, app, "browse-and-return");
    const sessionId = JSON.parse(output ?? "");
    await expect
      .poll(() => readSessionRow(sessionId))
      .toMatchObject({
        invocationId: id,
        state: "ended",
        endReason: "invocation_ended",
      });
    const query = `invocation_id=${id}&status=all`;
    const [listed] = (await client.get(`/browsers?${query}`)).read(sessionSchema.array());
    expect(listed).toMatchObject({
      session_id: sessionId,
      invocation_id: id,
      end_reason: "invocation_ended",
    });
    expect(listed).not.toHaveProperty("api_key");
  });

  it("are named in the events of the invocation and of its deployment", async () => {
    await runDeployment(app);
    const { id } = await invoke(client, app, "browse-and-talk");
    const lines = linesOf(await readEvents(client, id));
    const created = `Created browser session ${lines.at(-1)}`;
    expect(lines).toEqual(["before", created, expect.stringMatching(/^[0-9a-z]{24}$/)]);
    const isLast = (event: DeploymentEvent) => event.event === "log" && event.message === lines.at(-1);
    const events = await readEventsUntil(client, app.deploymentId, isLast);
    expect(events.filter(({ event }) => event === "log")).toMatchObject(
      lines.map((message) => ({ message })),
    );
  });

  it("are named once, also when others than the action create them", async () => {
    const id = await invokeAsync(client, app, "wait");
    await expect.poll(() => outside.urls).toContain(`http://waiting.test/${id}`);
    const create = () =>
      client.post("/browsers", { invocation_id: id, timeout_seconds: 600 }, { "idempotency-key": id });
    const { session_id } = (await create()).read(sessionSchema);
    expect((await create()).read(sessionSchema).session_id).toBe(session_id);
    await restart(session_id);
    await runAlarm(session_id);
    await client.patch(`/invocations/${id}`, { status: "failed" });
    expect(linesOf(await readEvents(client, id))).toEqual([`Created browser session ${session_id}`]);
  });

  it("start when the invocation does not answer", async () => {
    const id = await invokeAsync(client, app, "wait");
    await expect.poll(() => outside.urls).toContain(`http://waiting.test/${id}`);
    const log = vi.spyOn(Invocation.prototype, "logSession");
    log.mockImplementationOnce(() => new Promise(() => {}));
    await client.createSession({ invocation_id: id });
    log.mockRejectedValueOnce(new Error("It is gone"));
    await client.createSession({ invocation_id: id });
    expect(log).toHaveBeenCalledTimes(2);
    log.mockRestore();
    await client.patch(`/invocations/${id}`, { status: "failed" });
  });

  it("end when the action throws", async () => {
    const owner = await newClient();
    const created = await invoke(owner, await deployApp(owner, ACTIONS), "browse-and-throw");
    expect(created).toMatchObject({ status: "failed", status_reason: "enough" });
    await expect
      .poll(() => endReasons(owner.organizationId))
      .toEqual(["invocation_ended", "invocation_ended"]);
  });

  it("have ended when the cancel request returns", async () => {
    const owner = await newClient();
    const id = await invokeBrowsing(owner, await deployApp(owner, ACTIONS));
    await owner.patch(`/invocations/${id}`, { status: "failed" });
    expect(await endReasons(owner.organizationId)).toEqual(["invocation_ended", "invocation_ended"]);
  });

  it("accept connections at their cdp_ws_url", async () => {
    expect(await invoke(client, app, "connect")).toMatchObject({
      status: "succeeded",
      output: '"HeadlessChrome/150.0.0.0"',
    });
  });

  it("are listed while active, and can be ended without ending the action", async () => {
    const own = await client.createSession();
    const id = await invokeBrowsing(client, app);
    const sessionIds = await listBrowsers(id);
    expect(sessionIds).toHaveLength(2);
    expect(sessionIds).not.toContain(own.session_id);
    await client.delete(`/browsers/${sessionIds[0]}`);
    expect(await listBrowsers(id)).toEqual(sessionIds.slice(1));
    const answer = await client.delete(`/invocations/${id}/browsers`);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(await listBrowsers(id)).toEqual([]);
    expect((await client.delete(`/invocations/${id}/browsers`)).status).toBe(204);
    expect((await readInvocation(client, id)).status).toBe("running");
    expect((await client.get(`/browsers/${own.session_id}`)).status).toBe(200);
    await client.patch(`/invocations/${id}`, { status: "failed" });
  });
});

describe("an invocation", () => {
  it("fails when its deployment is stopped", async () => {
    const owner = await newClient();
    const stopped = await deployApp(owner, ACTIONS);
    const other = await invokeBrowsing(client, app);
    const id = await invokeBrowsing(owner, stopped);
    await failInvocationsOfDeployment(env, stopped.deploymentId, "Its deployment was stopped");
    expect(await readInvocation(owner, id)).toMatchObject({
      status: "failed",
      status_reason: "Its deployment was stopped",
    });
    await expect
      .poll(() => endReasons(owner.organizationId))
      .toEqual(["invocation_ended", "invocation_ended"]);
    expect((await readInvocation(client, other)).status).toBe("running");
    await client.patch(`/invocations/${other}`, { status: "failed" });
  });

  it("fails when its organization is disabled", async () => {
    const owner = await newClient();
    const id = await invokeBrowsing(owner, await deployApp(owner, ACTIONS));
    const path = `/admin/organizations/${owner.organizationId}`;
    expect((await operator.patch(path, { disabled: true })).status).toBe(200);
    await operator.patch(path, { disabled: false });
    const failed = await waitForStatus(owner, id, "failed");
    expect(failed.status_reason).toBe("The organization was disabled or deleted");
    expect(statesOf(await readEvents(owner, id))).toEqual(["queued", "running", "failed"]);
    expect(await endReasons(owner.organizationId)).not.toContain(null);
  });
});
