import { ConflictError, NotFoundError } from "@onkernel/sdk";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SharedService } from "../conformance/shared-service.ts";

const TOLERANCE_MS = 5_000;

const pageEventSchema = z.object({
  event: z.literal("page"),
  sessions: z.array(z.object({ activity: z.object({ clients: z.number() }) })),
  counts: z.object({ active: z.number() }),
});

const service = await SharedService.use();

/** @returns a client of a new organization, whose lists are empty. */
async function newOrganizationClient() {
  const { apiKey } = await service.createOrganization();
  return service.kernel({ apiKey });
}

// One test waits for real time.
describe.concurrent("browsers of the Kernel SDK", () => {
  test("ends a session without clients at its timeout", async ({ expect }) => {
    const kernel = await newOrganizationClient();
    const { session_id } = await kernel.browsers.create({ timeout_seconds: 10 });
    const idleSince = performance.now();
    const ended = { event: "session_ended", session_id };
    const event = await service.log.waitForEvent(ended, { withinMs: 40_000 });
    expect(performance.now() - idleSince).toBeGreaterThan(10_000 - TOLERANCE_MS);
    expect(event).toMatchObject({ reason: "inactivity" });
    const findEnded = () => kernel.browsers.retrieve(session_id, { include_deleted: true });
    await expect.poll(findEnded).toMatchObject({ end_reason: "inactivity", deleted_at: expect.any(String) });
  });

  test("creates a session without a body, with the documented defaults", async () => {
    const kernel = await newOrganizationClient();
    const session = await kernel.browsers.create();
    expect(session).toMatchObject({
      session_id: expect.stringMatching(/^[a-z0-9]{24}$/),
      headless: false,
      stealth: false,
      kiosk_mode: false,
      timeout_seconds: 60,
      viewport: { width: 1920, height: 1080, refresh_rate: 25 },
    });
    expect(session.deleted_at).toBeUndefined();
    expect(Date.parse(session.created_at)).not.toBeNaN();
    const address = new URL(session.cdp_ws_url);
    expect(address.protocol).toBe("ws:");
    expect(address.searchParams.get("jwt")).toBeTruthy();
    await kernel.browsers.deleteByID(session.session_id);
  });

  test("creates a session with options, and finds it by id and name", async () => {
    const kernel = await newOrganizationClient();
    const options = {
      name: "as-asked",
      headless: true,
      stealth: true,
      kiosk_mode: true,
      timeout_seconds: 120,
      tags: { team: "backend" },
      start_url: "about:blank",
    };
    const created = await kernel.browsers.create({ ...options, viewport: { width: 1024, height: 768 } });
    const complete = { ...options, viewport: { width: 1024, height: 768, refresh_rate: 60 } };
    expect(created).toMatchObject(complete);
    for (const idOrName of [created.session_id, "as-asked"]) {
      const found = await kernel.browsers.retrieve(idOrName);
      expect(found).toMatchObject({ ...complete, session_id: created.session_id });
      expect(found.created_at).toBe(created.created_at);
    }
    await kernel.browsers.deleteByID(created.session_id);
  });

  test("changes name and tags, and clears them", async () => {
    const kernel = await newOrganizationClient();
    const { session_id } = await kernel.browsers.create({ name: "before", tags: { a: "1", b: "2" } });

    const renamed = await kernel.browsers.update("before", { name: "after" });
    expect(renamed).toMatchObject({ session_id, name: "after", tags: { a: "1", b: "2" } });
    await expect(kernel.browsers.retrieve("before")).rejects.toThrow(NotFoundError);

    const retagged = await kernel.browsers.update(session_id, { tags: { c: "3" } });
    expect(retagged).toMatchObject({ name: "after", tags: { c: "3" } });
    expect(retagged.tags).toEqual({ c: "3" });

    const cleared = await kernel.browsers.update(session_id, { name: "", tags: {} });
    expect(cleared.name).toBeUndefined();
    expect(cleared.tags).toEqual({});
    await expect(kernel.browsers.retrieve("after")).rejects.toThrow(NotFoundError);
    expect(await kernel.browsers.retrieve(session_id)).toMatchObject({ session_id, tags: {} });
    await kernel.browsers.deleteByID(session_id);
  });

  test("keeps a name unique until its session ends", async () => {
    const kernel = await newOrganizationClient();
    const first = await kernel.browsers.create({ name: "only-one" });
    await expect(kernel.browsers.create({ name: "only-one" })).rejects.toThrow(ConflictError);
    await kernel.browsers.deleteByID("only-one");
    const second = await kernel.browsers.create({ name: "only-one" });
    expect(second.session_id).not.toBe(first.session_id);
    expect((await kernel.browsers.retrieve("only-one")).session_id).toBe(second.session_id);
    await kernel.browsers.deleteByID(second.session_id);
  });

  test("ends a session, which is then found with include_deleted only", async () => {
    const kernel = await newOrganizationClient();
    const { session_id } = await kernel.browsers.create();
    await kernel.browsers.deleteByID(session_id);
    await expect(kernel.browsers.retrieve(session_id)).rejects.toThrow(NotFoundError);
    await expect(kernel.browsers.deleteByID(session_id)).rejects.toThrow(NotFoundError);
    const ended = await kernel.browsers.retrieve(session_id, { include_deleted: true });
    expect(ended).toMatchObject({ session_id, end_reason: "deleted" });
    expect(Date.parse(ended.deleted_at ?? "")).toBeGreaterThanOrEqual(Date.parse(ended.created_at));
  });

  test("lists sessions newest first in pages, filtered by status and tags", async () => {
    const kernel = await newOrganizationClient();
    const newestFirst: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const { session_id } = await kernel.browsers.create({ tags: { half: index < 2 ? "first" : "second" } });
      newestFirst.unshift(session_id);
      if (index < 3) await kernel.browsers.deleteByID(session_id);
    }
    const deleted = newestFirst.slice(2);
    const active = newestFirst.slice(0, 2);

    const pageSizes: number[] = [];
    const paged: string[] = [];
    for await (const page of (await kernel.browsers.list({ status: "all", limit: 2 })).iterPages()) {
      pageSizes.push(page.getPaginatedItems().length);
      paged.push(...page.getPaginatedItems().map(({ session_id }) => session_id));
    }
    expect(pageSizes).toEqual([2, 2, 1]);
    expect(paged).toEqual(newestFirst);

    expect(await listedIds(kernel.browsers.list({ status: "deleted", limit: 2 }))).toEqual(deleted);
    expect(await listedIds(kernel.browsers.list())).toEqual(active);
    expect(await listedIds(kernel.browsers.list({ status: "all", tags: { half: "first" } }))).toEqual(
      newestFirst.slice(3),
    );
    for (const id of active) await kernel.browsers.deleteByID(id);
    expect(await listedIds(kernel.browsers.list())).toEqual([]);
  });

  test("follows a list, and shows who uses a session", async () => {
    const kernel = await newOrganizationClient();
    const pages = await kernel.get<AsyncIterable<unknown>>("/org/sessions/stream", { stream: true });
    const { session_id, cdp_ws_url } = await kernel.browsers.create();
    const socket = new WebSocket(cdp_ws_url);
    for await (const page of pages) {
      const { sessions, counts } = pageEventSchema.parse(page);
      expect(sessions.length).toBe(counts.active);
      if (sessions[0]?.activity.clients === 1) break;
    }
    socket.close();
    expect(await kernel.get("/org/overview")).toMatchObject({
      sessions: { active: 1 },
      storage: { used_bytes: 0 },
      hours: expect.arrayContaining([expect.objectContaining({ sessions_created: 1, errors: 0 })]),
    });
    await kernel.browsers.deleteByID(session_id);
  });
});

async function listedIds(sessions: AsyncIterable<{ session_id: string }>): Promise<string[]> {
  return (await Array.fromAsync(sessions)).map(({ session_id }) => session_id);
}
