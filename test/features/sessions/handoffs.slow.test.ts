import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { liveViewURLSchema } from "../../../src/api/live-view/schema.ts";
import { handoffSchema, pendingHandoffSchema } from "../../../src/features/sessions/handoff-schema.ts";
import { type SessionBody, sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { createdWebhookSchema } from "../../../src/features/webhooks/schema.ts";
import { type Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { advanceTime, restart, runAlarm } from "../../objects.ts";
import { readSessionRow } from "../../records.ts";
import { createFullPool } from "../browser-pools/pools.ts";
import { ViewerPage } from "../live-view/viewers.ts";
import { createProject } from "../organizations/projects/projects.ts";
import { createWebhook, useFakeReceivers } from "../webhooks/webhooks.ts";

useFakeBrowsers();
const receivers = useFakeReceivers();

let client: Client;
let session: SessionBody;
let id: string;
beforeEach(async () => {
  client = await newClient();
  session = await client.createSession({ name: "shop", timeout_seconds: 60 });
  id = session.session_id;
});
afterEach(async () => {
  vi.useRealTimers();
  await client.delete(`/browsers/${id}`);
});

const ask = async (body: object = {}, key = id) => {
  const answer = await client.post(`/browsers/${key}/handoffs`, { instructions: "Log in", ...body });
  expect(answer.status, answer.text).toBe(201);
  return handoffSchema.parse(answer.json);
};
const read = async (handoffId: string, seconds = 0) =>
  (await client.get(`/browsers/${id}/handoffs/${handoffId}?wait_seconds=${seconds}`)).read(handoffSchema);
const open = ({ live_view_url }: { live_view_url: string | null }, query = "") =>
  ViewerPage.open(live_view_url ?? "", query);
const done = (handoff: string, note = "") => ({ type: "complete-handoff", handoff, note }) as const;

describe("a handoff", () => {
  it("is shown by its link, and done by the person", async () => {
    const handoff = await ask({ instructions: " Log in \n<b>now</b> ", expires_in_seconds: 60 }, "shop");
    expect(handoff).toMatchObject({
      status: "pending",
      instructions: "Log in \n<b>now</b>",
      note: null,
      pause_agent: false,
      completed_at: null,
    });
    expect(Date.parse(handoff.expires_at) - Date.parse(handoff.created_at)).toBe(60_000);
    const viewer = await open(handoff);
    const shown = await viewer.waitFor("handoff");
    expect(shown.handoff).toMatchObject({ handoff_id: handoff.handoff_id, pause_agent: false });
    const waiting = read(handoff.handoff_id, 50);
    viewer.send(done(handoff.handoff_id, " It was hard. "));
    const ended = await waiting;
    expect(ended).toMatchObject({ status: "done", note: "It was hard.", live_view_url: null });
    expect(Date.parse(ended.completed_at ?? "")).toBeLessThanOrEqual(Date.now());
    expect(await viewer.waitFor("ended")).toMatchObject({ reason: expect.stringContaining("Done") });
    const late = await open(handoff);
    expect(await late.waitFor("ended")).toMatchObject({ reason: expect.stringContaining("Done") });
  });

  it.each(["readOnly", "a watch link"])(
    "is shown to those who watch by %s, who cannot complete it",
    async (by) => {
      const handoff = await ask();
      const link = await client.post(`/browsers/${id}/live_view_urls`, { mode: "watch" });
      const watching = { live_view_url: link.read(liveViewURLSchema).url };
      const viewer = await (by === "readOnly" ? open(handoff, "&readOnly=true") : open(watching));
      expect((await viewer.waitFor("handoff")).handoff).toMatchObject({ instructions: "Log in" });
      viewer.send(done(handoff.handoff_id));
      await viewer.settled();
      expect(await read(handoff.handoff_id)).toMatchObject({ status: "pending" });
    },
  );

  it("can be done by anyone with control; its own link completes no other one", async () => {
    const [first, second] = [await ask(), await ask({ instructions: "Solve it" })];
    const owner = await ViewerPage.open(session.browser_live_view_url ?? "");
    const invited = await open(second);
    expect((await owner.waitFor("handoff")).handoff).toMatchObject({ handoff_id: first.handoff_id });
    owner.send(done(first.handoff_id));
    expect((await owner.waitFor("handoff", 1)).handoff).toMatchObject({ handoff_id: second.handoff_id });
    const third = await ask();
    invited.send(done(third.handoff_id));
    await invited.waitFor("ended");
    expect((await read(third.handoff_id)).status).toBe("pending");
    const listed = (await client.get(`/browsers/${id}/handoffs`)).read(handoffSchema.array());
    expect(listed.map(({ handoff_id, status }) => [handoff_id, status])).toEqual([
      [third.handoff_id, "pending"],
      [second.handoff_id, "done"],
      [first.handoff_id, "done"],
    ]);
  });

  it("outlives its object, keeps the session, and expires", async () => {
    const { handoff_id } = await ask({ expires_in_seconds: 300 });
    await restart(id);
    for (let round = 0; round < 4; round += 1) {
      advanceTime(65_000);
      await runAlarm(id);
      expect(await read(handoff_id)).toMatchObject({ status: "pending" });
    }
    advanceTime(65_000);
    await runAlarm(id);
    expect(await read(handoff_id)).toMatchObject({ status: "expired", note: null });
    expect(await readSessionRow(id)).toMatchObject({ state: "active" });
    advanceTime(61_000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "inactivity" });
  });

  it("is withdrawn by a call, once", async () => {
    const handoff = await ask();
    const viewer = await open(handoff);
    const path = `/browsers/${id}/handoffs/${handoff.handoff_id}`;
    expect((await client.delete(path)).status).toBe(204);
    expect(await viewer.waitFor("ended")).toMatchObject({ reason: expect.stringContaining("withdrawn") });
    const { completed_at } = await read(handoff.handoff_id, 50);
    expect((await client.delete(path)).status).toBe(204);
    expect(await read(handoff.handoff_id)).toMatchObject({ status: "withdrawn", completed_at });
  });

  it("is withdrawn with its session", async () => {
    const { handoff_id } = await ask();
    const waiting = read(handoff_id, 50);
    // The wait has begun once a later call is answered.
    await read(handoff_id);
    await client.delete(`/browsers/${id}`);
    expect((await waiting).status).toBe("withdrawn");
    expect((await client.get(`/browsers/${id}/handoffs/${handoff_id}`)).status).toBe(404);
  });

  it("is not seen by the next lease", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const acquire = async () =>
      (await client.post(`/browser_pools/${pool.id}/acquire`, {})).read(sessionSchema).session_id;
    const leased = await acquire();
    const handoff = await ask({}, leased);
    await client.post(`/browser_pools/${pool.id}/release`, { session_id: leased });
    expect((await open(handoff)).closed).resolves.toMatchObject({ code: 1008 });
    expect(await acquire()).toBe(leased);
    expect((await client.get(`/browsers/${leased}/handoffs`)).json).toEqual([]);
    await client.delete(`/browser_pools/${pool.id}`, { force: true });
  });

  it("is reported to webhooks", async () => {
    const created = await createWebhook(client, { event_types: ["handoff.requested", "handoff.completed"] });
    const webhook = createdWebhookSchema.parse(created);
    const messages = () => receivers.messagesTo(webhook);
    const { live_view_url, ...handoff } = await ask();
    await open({ live_view_url }).then((viewer) => viewer.send(done(handoff.handoff_id, "ok")));
    await expect.poll(messages).toHaveLength(2);
    expect(messages()).toMatchObject([
      { type: "handoff.requested", data: { session_id: id, ...handoff } },
      { type: "handoff.completed", data: { session_id: id, handoff_id: handoff.handoff_id, note: "ok" } },
    ]);
    expect(JSON.stringify(messages())).not.toContain("jwt");
  });
});

describe("the list of pending handoffs", () => {
  const list = async (query = "", caller = client) => {
    const answer = await caller.get(`/handoffs${query}`);
    return { ...answer, handoffs: answer.read(pendingHandoffSchema.array()) };
  };
  const listed = async () => (await list()).handoffs.map(({ handoff_id }) => handoff_id);

  it("has those of all sessions, with their links, page by page", async () => {
    const other = (await client.createSession()).session_id;
    const late = await ask({ expires_in_seconds: 900 }, other);
    const soon = await ask({ expires_in_seconds: 600, pause_agent: true });
    await expect.poll(listed).toEqual([soon.handoff_id, late.handoff_id]);
    const { handoffs, headers } = await list("?limit=1");
    expect(headers.get("x-next-offset")).toBe("1");
    const link = { live_view_url: expect.stringContaining(`/live/${id}?jwt=`) };
    expect(handoffs).toEqual([{ ...soon, ...link, session_id: id, session_name: "shop" }]);
    const viewer = await open(handoffs[0] ?? soon);
    expect((await viewer.waitFor("handoff")).handoff).toMatchObject({ handoff_id: soon.handoff_id });
    const next = await list("?limit=1&offset=1");
    expect(next.handoffs).toMatchObject([{ handoff_id: late.handoff_id, session_name: null }]);
    expect(next.headers.get("x-has-more")).toBe("false");
    viewer.send(done(soon.handoff_id));
    await expect.poll(listed).toEqual([late.handoff_id]);
    await client.delete(`/browsers/${other}`);
    expect(await listed()).toEqual([]);
  });

  it("is of one organization and project, and keeps no expired ones", async () => {
    const stranger = await newClient();
    const project = await createProject(client);
    const { handoff_id } = await ask({ expires_in_seconds: 60 });
    await expect.poll(listed).toEqual([handoff_id]);
    expect((await list("", stranger)).handoffs).toEqual([]);
    expect((await list("", client.inProject(project.id))).handoffs).toEqual([]);
    await restart(id);
    expect(await listed()).toEqual([handoff_id]);
    advanceTime(61_000);
    expect(await listed()).toEqual([]);
  });

  it("is without those of an earlier lease", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const acquire = async () =>
      (await client.post(`/browser_pools/${pool.id}/acquire`, {})).read(sessionSchema).session_id;
    const session_id = await acquire();
    const { handoff_id } = await ask({}, session_id);
    await expect.poll(listed).toEqual([handoff_id]);
    await client.post(`/browser_pools/${pool.id}/release`, { session_id });
    expect(await listed()).toEqual([]);
    expect(await acquire()).toBe(session_id);
    expect(await listed()).toEqual([]);
    await client.delete(`/browser_pools/${pool.id}`, { force: true });
  });
});

describe("requests", () => {
  it.each([
    ["instructions", { instructions: undefined }],
    ["instructions", { instructions: "  " }],
    ["instructions", { instructions: "x".repeat(2001) }],
    ["expires_in_seconds", { expires_in_seconds: 0 }],
    ["expires_in_seconds", { expires_in_seconds: 86_401 }],
    ["pause_agent", { pause_agent: "yes" }],
  ])("report an invalid %s, case %#", async (field, body) => {
    const answer = await client.post(`/browsers/${id}/handoffs`, { instructions: "x", ...body });
    expect(answer.invalidFields).toEqual([field]);
  });

  it("stays while later ones come and go", async () => {
    const first = await ask({ expires_in_seconds: 3600 });
    for (let count = 0; count < 50; count += 1) {
      await client.delete(`/browsers/${id}/handoffs/${(await ask()).handoff_id}`);
    }
    expect(await read(first.handoff_id)).toMatchObject({ status: "pending" });
    expect((await client.get(`/browsers/${id}/handoffs`)).read(handoffSchema.array())).toHaveLength(50);
  });

  it("are limited, and refused for headless sessions, unknown handoffs and long waits", async () => {
    for (let count = 0; count < 5; count += 1) await ask();
    const answer = await client.post(`/browsers/${id}/handoffs`, { instructions: "x" });
    expect(answer.status).toBe(429);
    const { session_id } = await client.createSession({ headless: true });
    expect((await client.post(`/browsers/${session_id}/handoffs`, { instructions: "x" })).status).toBe(400);
    for (const method of ["GET", "DELETE"]) {
      expect((await client.call(method, `/browsers/${id}/handoffs/none`)).status).toBe(404);
    }
    const tooLong = await client.get(`/browsers/${id}/handoffs/none?wait_seconds=51`);
    expect(tooLong.invalidFields).toEqual(["wait_seconds"]);
  });
});

describe("computer calls", () => {
  const click = () => client.post(`/browsers/${id}/computer/click_mouse`, { x: 1, y: 1 });

  it("wait while a person has the session alone, and then run", async () => {
    await ask();
    expect((await click()).status).toBe(200);
    const { handoff_id } = await ask({ pause_agent: true });
    let isDone = false;
    const clicking = click().finally(() => {
      isDone = true;
    });
    await read(handoff_id);
    expect(isDone).toBe(false);
    await client.delete(`/browsers/${id}/handoffs/${handoff_id}`);
    expect((await clicking).status).toBe(200);
  });

  it("are refused after a time", async () => {
    await ask({ pause_agent: true });
    const { setTimeout } = globalThis;
    const hurry = (work: () => void, ms?: number) => setTimeout(work, ms === 20_000 ? 0 : ms);
    vi.stubGlobal("setTimeout", hurry);
    const answer = await click();
    vi.unstubAllGlobals();
    expect(answer.status).toBe(409);
    expect(answer.error.code).toBe("agent_paused");
    expect(answer.headers.get("x-should-retry")).toBe("false");
  });

  it("are refused when their session ends meanwhile", async () => {
    const { handoff_id } = await ask({ pause_agent: true });
    const clicking = click();
    await read(handoff_id);
    await client.delete(`/browsers/${id}`);
    expect((await clicking).status).toBe(404);
  });
});
