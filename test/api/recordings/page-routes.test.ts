import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { recordingSchema } from "../../../src/api/recordings/schema.ts";
import { urlTokens } from "../../../src/features/sessions/requests/url-token.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { Client, newClient, ORIGIN, openSocket } from "../../api.ts";
import { insertReplayRow } from "../../features/recordings/recordings.ts";
import { insertEndedRow } from "../../records.ts";
import { Listener } from "../../sockets.ts";

const anonymous = new Client();
const client = await newClient();
const { organizationId } = client;
const sessionId = (await insertEndedRow({ organizationId })).id;
const chapters = [{ time: 0, url: "https://a.example/", title: "A" }];
const recording = await insertReplayRow({ organizationId, sessionId, chapters }, [
  "head",
  "piece 1",
  "piece 2",
]);
const other = await insertReplayRow({ organizationId, sessionId, startedAt: Date.now() });
const [first] = (await client.get(`/browsers/${sessionId}/replays`)).read(z.array(recordingSchema));
const address = (first?.replay_view_url ?? "").replace(ORIGIN, "");

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
    expect(page.headers.get("cache-control")).toBe("no-store");
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
    const { startedAt, finishedAt } = recording;
    const url = "https://a.example/";
    expect((await anonymous.get(pathOf("events"))).json).toEqual({
      recording: {
        startedAt,
        finishedAt,
        note: null,
        sizeBytes: 18,
        sessionName: null,
        endReason: "Deleted.",
      },
      items: [{ time: 0, category: "page", kind: "Page", text: "A", url, isError: false }],
      isCut: false,
    });
    expect((await anonymous.get(pathOf("chapters"))).text).toContain("A (https://a.example/)");
  });

  it.each(["video", "events", "chapters"])("keeps %s out of caches", async (name) => {
    expect((await anonymous.get(pathOf(name))).headers.get("cache-control")).toContain("no-store");
  });

  it.each(["video", "events", "chapters"])("requires the recording's own token for %s", async (name) => {
    const withoutToken = pathOf(name).replace(/\?.*/, "");
    expect((await anonymous.get(withoutToken)).status).toBe(401);
    expect((await anonymous.get(`${withoutToken}?jwt=garbage`)).status).toBe(401);
    expect((await anonymous.get(pathOf(name).replace(recording.id, other.id))).status).toBe(401);
    expect((await anonymous.get(pathOf(name).replace(sessionId, newIdentifier()))).status).toBe(404);
  });

  it("does not open the session with the token of a recording", async () => {
    const token = new URL(ORIGIN + address).searchParams.get("jwt");
    for (const id of [sessionId, recording.id]) {
      for (const path of [`/cdp/${id}`, `/cdp/${id}/json/version`]) {
        const answer = await anonymous.get(`${path}?jwt=${token}`, { headers: { upgrade: "websocket" } });
        expect(answer.status, path).toBe(401);
      }
      const viewer = new Listener(
        await openSocket(`${ORIGIN}/live/${id}/socket?jwt=${token}`, { origin: ORIGIN }),
      );
      expect((await viewer.closed).code).toBe(1008);
      expect(viewer.frames.join()).toMatch(/belongs to another session|is not valid for this address/);
    }
  });

  it.each(["cdp", "live:control", "live:watch"] as const)(
    "does not open with a token for %s",
    async (scope) => {
      const tokens = urlTokens(env, 60_000);
      for (const subject of [sessionId, recording.id]) {
        const token = await tokens.sign(subject, scope);
        const path = pathOf("video").replace(/jwt=.*/, `jwt=${token}`);
        expect((await anonymous.get(path)).status).toBe(401);
      }
    },
  );

  it("does not open when its link has expired", async () => {
    const tokens = urlTokens(env, 60_000);
    const expired = await tokens.sign(recording.id, "replay", { now: Date.now() - 61_000 });
    const answer = await anonymous.get(pathOf("video").replace(/jwt=.*/, `jwt=${expired}`));
    expect(answer.status).toBe(401);
    expect(answer.error.message).toContain("expired");
  });

  it("does not open when the session's URLs were revoked", async () => {
    await env.DB.prepare("UPDATE browser_sessions SET url_generation = 1 WHERE id = ?").bind(sessionId).run();
    expect((await anonymous.get(pathOf("video"))).status).toBe(401);
    const [renewed] = (await client.get(`/browsers/${sessionId}/replays`)).read(z.array(recordingSchema));
    const path = (renewed?.replay_view_url ?? "").replace(ORIGIN, "").replace("?", "/video?");
    expect((await anonymous.get(path)).status).toBe(200);
  });
});
