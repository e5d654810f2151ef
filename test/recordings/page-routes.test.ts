import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { newIdentifier } from "../../src/common/identifiers.ts";
import type { ReplayRow } from "../../src/database/schema/replays.ts";
import { replaySchema } from "../../src/sessions/api/replay-schema.ts";
import { Client, newClient, ORIGIN } from "../api.ts";
import { insertEndedRow } from "../records.ts";
import { insertReplayRow } from "./replays.ts";

const anonymous = new Client();

let client: Client;
let sessionId: string;
let replay: ReplayRow;
let other: ReplayRow;
let address: string;

beforeAll(async () => {
  client = await newClient();
  const { organizationId } = client;
  sessionId = (await insertEndedRow({ organizationId })).id;
  const chapters = [{ time: 0, url: "https://a.example/", title: "A" }];
  replay = await insertReplayRow({ organizationId, sessionId, chapters }, ["head", "piece 1", "piece 2"]);
  other = await insertReplayRow({ organizationId, sessionId, startedAt: Date.now() });
  const [first] = (await client.get(`/browsers/${sessionId}/replays`)).read(z.array(replaySchema));
  address = (first?.replay_view_url ?? "").replace(ORIGIN, "");
});

const pathOf = (name: string) => address.replace("?", `/${name}?`);

describe("the page of a recording", () => {
  it("is public, and restricted to its own origin", async () => {
    const page = await anonymous.get(`/replay/${sessionId}/${newIdentifier()}`);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; media-src 'self'; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
    );
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    const files = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file = ""]) => file);
    expect(files).toHaveLength(2);
    for (const file of files) expect((await anonymous.get(file)).status, file).toBe(200);
    expect(page.text).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=/i);
  });

  it("plays the video of its token, also in ranges", async () => {
    const video = await anonymous.get(pathOf("video"));
    expect(video.text).toBe("headpiece 1piece 2");
    expect(video.headers.get("content-type")).toBe("video/mp4");
    const range = await anonymous.get(pathOf("video"), { headers: { range: "bytes=3-11" } });
    expect(range.status).toBe(206);
    expect(range.text).toBe("dpiece 1p");
  });

  it("gets its events and chapters", async () => {
    const { startedAt, finishedAt, chapters } = replay;
    expect((await anonymous.get(pathOf("events"))).json).toEqual({
      recording: { startedAt, finishedAt, chapters, note: null, sizeBytes: 18 },
      events: [],
    });
    expect((await anonymous.get(pathOf("chapters"))).text).toContain("A (https://a.example/)");
  });

  it.each(["video", "events", "chapters"])("requires the recording's own token for %s", async (name) => {
    const withoutToken = pathOf(name).replace(/\?.*/, "");
    expect((await anonymous.get(withoutToken)).status).toBe(401);
    expect((await anonymous.get(`${withoutToken}?jwt=garbage`)).status).toBe(401);
    expect((await anonymous.get(pathOf(name).replace(replay.id, other.id))).status).toBe(401);
    expect((await anonymous.get(pathOf(name).replace(sessionId, newIdentifier()))).status).toBe(404);
  });

  it("does not open when the session's URLs were revoked", async () => {
    await env.DB.prepare("UPDATE browser_sessions SET url_generation = 1 WHERE id = ?").bind(sessionId).run();
    expect((await anonymous.get(pathOf("video"))).status).toBe(401);
    const [renewed] = (await client.get(`/browsers/${sessionId}/replays`)).read(z.array(replaySchema));
    const path = (renewed?.replay_view_url ?? "").replace(ORIGIN, "").replace("?", "/video?");
    expect((await anonymous.get(path)).status).toBe(200);
  });
});
