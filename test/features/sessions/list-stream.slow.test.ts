import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type SessionPageEvent,
  sessionPageEventSchema,
} from "../../../src/features/sessions/session-schema.ts";
import { writeActivity } from "../../../src/features/sessions/store.ts";
import worker from "../../../src/index.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { apiKeys, organizations } from "../../../src/lib/database/schema/organizations.ts";
import { type Client, newClient, ORIGIN } from "../../api.ts";
import { insertEndedRow, insertSessionRow } from "../../records.ts";

const database = openDatabase(env.DB);

let client: Client;
let organizationId: string;
let reader: ReadableStreamDefaultReader<string>;
let text: string;
let ending: AbortController;

beforeEach(async () => {
  client = await newClient();
  ({ organizationId } = client);
  text = "";
  ending = new AbortController();
});
afterEach(() => reader.cancel());

async function follow(query = ""): Promise<void> {
  const headers = { authorization: `Bearer ${client.token}` };
  const request = new Request(`${ORIGIN}/org/sessions/stream${query}`, { headers, signal: ending.signal });
  const response = await worker.fetch(request, env, createExecutionContext());
  expect(response.headers.get("content-type"), String(response.status)).toBe("text/event-stream");
  if (response.body === null) throw new Error("the response has no body");
  reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
}

/** The next event; undefined at the end. */
async function next(): Promise<SessionPageEvent | undefined> {
  for (;;) {
    const end = text.indexOf("\n\n");
    if (end >= 0) {
      const event = text.slice(0, end);
      text = text.slice(end + 2);
      if (event.startsWith("data: ")) return sessionPageEventSchema.parse(JSON.parse(event.slice(6)));
      continue;
    }
    const { value } = await reader.read();
    if (value === undefined) return undefined;
    text += value;
  }
}

async function nextIds(): Promise<string[] | undefined> {
  return (await next())?.sessions.map(({ session_id }) => session_id);
}

describe("GET /org/sessions/stream", () => {
  it("sends the page as it is, and again when a session begins or changes", async () => {
    await follow();
    expect(await next()).toEqual({ event: "page", sessions: [], has_more: false, counts: { active: 0 } });
    const { id } = await insertSessionRow({ organizationId });
    const added = await next();
    expect(added).toMatchObject({ has_more: false, counts: { active: 1 } });
    const listed = (await client.get("/browsers")).read(sessionPageEventSchema.shape.sessions);
    const withoutURLs = { cdp_ws_url: expect.any(String), webdriver_ws_url: expect.any(String) };
    const liveView = { browser_live_view_url: expect.any(String) };
    expect(added?.sessions).toEqual(listed.map((session) => ({ ...session, ...withoutURLs, ...liveView })));
    await writeActivity(database, { id }, { clients: 2, viewers: 0, handoffs: null, idleSince: null });
    expect((await next())?.sessions[0]?.activity).toEqual({ clients: 2, viewers: 0 });
  });

  it("shows and counts no session of another project", async () => {
    await insertSessionRow({ organizationId, projectId: "other" });
    await follow();
    expect(await next()).toMatchObject({ sessions: [], counts: { active: 0 } });
  });

  it("takes the query of the list", async () => {
    const wanted = { organizationId, tags: { team: "shop" }, poolId: "warm" };
    const rows = [];
    for (const createdAt of [3, 2, 1]) rows.push(await insertEndedRow({ ...wanted, createdAt }));
    await insertEndedRow({ ...wanted, tags: {} });
    await insertEndedRow({ ...wanted, poolId: null });
    await insertSessionRow({ ...wanted, createdAt: 4 });
    await follow("?status=deleted&tags[team]=shop&pool_id=warm&limit=1&offset=1");
    const page = await next();
    expect(page?.sessions.map(({ session_id }) => session_id)).toEqual([rows[1]?.id]);
    expect(page).toMatchObject({ has_more: true, counts: { active: 1 } });
  });

  it("sends nothing when only another page or organization changes", async () => {
    const createdAt = Date.now();
    await insertSessionRow({ organizationId, createdAt });
    const { id } = await insertSessionRow({ organizationId, createdAt: createdAt - 1 });
    await follow("?limit=1");
    await next();
    await writeActivity(database, { id }, { clients: 2, viewers: 0, handoffs: null, idleSince: null });
    await insertSessionRow({ organizationId: "somebody else's", createdAt: createdAt + 1 });
    // Two polls, of which each would send an event before the keep-alive line after it.
    let later = "";
    while (later.split("keep-alive").length < 4) later += (await reader.read()).value ?? "";
    expect(later).not.toContain("data:");
  });

  it.each([
    ["its key is deleted", () => ({ deletedAt: 1 })],
    ["its key expires", () => ({ expiresAt: Date.now() - 1 })],
  ])("ends when %s", async (_, change) => {
    await follow();
    expect(await nextIds()).toEqual([]);
    await database.update(apiKeys).set(change()).where(eq(apiKeys.id, client.keyId));
    await insertSessionRow({ organizationId });
    expect(await next()).toBeUndefined();
  });

  it("ends when its organization is disabled", async () => {
    await follow();
    expect(await nextIds()).toEqual([]);
    await database.update(organizations).set({ disabledAt: 1 }).where(eq(organizations.id, organizationId));
    expect(await next()).toBeUndefined();
  });

  it("ends when its client disconnects", async () => {
    await follow();
    await next();
    ending.abort();
    await insertSessionRow({ organizationId });
    expect(await next()).toBeUndefined();
  });

  it("refuses an invalid query", async () => {
    expect((await client.get("/org/sessions/stream?limit=0")).invalidFields).toEqual(["limit"]);
  });
});
