import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { listedRecordingSchema } from "../../../src/api/recordings/schema.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { Client, ORIGIN, useNewClient } from "../../api.ts";
import { createKey, createProject } from "../../features/organizations/projects/projects.ts";
import { insertReplayRow } from "../../features/recordings/recordings.ts";
import { insertEndedRow, insertSessionRow } from "../../records.ts";

const client = useNewClient();

const list = async (by: Client = client, query = "") =>
  (await by.get(`/org/recordings?${query}`)).read(listedRecordingSchema.array());

describe("GET /org/recordings", () => {
  it("lists the recordings of all sessions, newest first, in pages", async () => {
    const { organizationId } = client;
    const ended = await insertEndedRow({ organizationId, name: "checkout" });
    const active = await insertSessionRow({ organizationId });
    const idle = await insertSessionRow({ organizationId, state: "idle", poolId: newIdentifier() });
    const removed = newIdentifier();
    const rows = [];
    for (const [startedAt, sessionId] of [ended.id, active.id, idle.id, removed, ended.id].entries()) {
      rows.unshift(await insertReplayRow({ organizationId, sessionId, startedAt }, ["video"]));
    }
    await env.DB.prepare("UPDATE replays SET finished_at = NULL WHERE id = ?").bind(rows[0]?.id).run();
    const recordings = await list();
    expect(recordings.map(({ replay_id }) => replay_id)).toEqual(rows.map(({ id }) => id));
    expect(
      recordings.map((each) => [each.session_id, each.session_name, each.is_session_listed, each.size_bytes]),
    ).toEqual([
      [ended.id, "checkout", true, null],
      [removed, null, false, 5],
      [idle.id, null, false, 5],
      [active.id, null, true, 5],
      [ended.id, "checkout", true, 5],
    ]);
    const page = await client.get("/org/recordings?limit=2&offset=2");
    expect(page.read(listedRecordingSchema.array())).toMatchObject([
      { replay_id: rows[2]?.id },
      { replay_id: rows[3]?.id },
    ]);
    expect(page.headers.get("x-next-offset")).toBe("4");
  });

  it("links to pages that play, with the current URLs of a session", async () => {
    const { organizationId } = client;
    const { id: sessionId } = await insertEndedRow({ organizationId });
    await insertReplayRow({ organizationId, sessionId }, ["video"]);
    const play = async () => {
      const [recording] = await list();
      const path = recording?.replay_view_url.replace(ORIGIN, "").replace("?", "/video?") ?? "";
      return (await new Client().get(path)).text;
    };
    expect(await play()).toBe("video");
    await env.DB.prepare("UPDATE browser_sessions SET url_generation = 3 WHERE id = ?").bind(sessionId).run();
    expect(await play()).toBe("video");
  });

  it("shows each project its own", async () => {
    const { organizationId } = client;
    const project = await createProject(client);
    const ofProject = await createKey(client, { project_id: project.id });
    const sessionId = newIdentifier();
    const own = await insertReplayRow({ organizationId, sessionId, projectId: project.id });
    const ofDefault = await insertReplayRow({ organizationId, sessionId });
    expect(await list(ofProject)).toMatchObject([{ replay_id: own.id }]);
    expect(await list()).toMatchObject([{ replay_id: ofDefault.id }]);
  });

  it("reads a page by its index", async () => {
    const { results } = await env.DB.prepare(
      `EXPLAIN QUERY PLAN SELECT id FROM replays WHERE organization_id = 'a' AND project_id = ''
       ORDER BY started_at DESC, id DESC LIMIT 3`,
    ).run();
    expect(JSON.stringify(results)).toContain("replays_of_project");
    expect(JSON.stringify(results)).not.toContain("TEMP B-TREE");
  });
});
