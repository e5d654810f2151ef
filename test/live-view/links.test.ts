import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { newIdentifier } from "../../src/common/identifiers.ts";
import { liveViewURLSchema } from "../../src/sessions/api/live-view-schema.ts";
import { type Client, newClient, ORIGIN } from "../api.ts";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";
import { insertEndedRow } from "../records.ts";
import { ViewerPage } from "./viewers.ts";

useFakeBrowsers();

const TOKEN_LIFETIME_SECONDS = 259_200;
const claimsSchema = z.object({ sub: z.string(), scope: z.string(), iat: z.number(), exp: z.number() });

const readClaims = (url: string) =>
  claimsSchema.parse(JSON.parse(atob(new URL(url).searchParams.get("jwt")?.split(".")[1] ?? "")));

let client: Client;
let id: string;
beforeAll(async () => {
  client = await newClient();
  id = (await client.createSession({ name: "shown", timeout_seconds: 3600 })).session_id;
});

const mint = (body?: unknown, key = id) => client.post(`/browsers/${key}/live_view_urls`, body);

describe("a link to a session's live view", () => {
  it.each([
    ["only to watch, when nobody says", undefined, "watch"],
    ["only to watch, when the body is empty", {}, "watch"],
    ["only to watch", { mode: "watch" }, "watch"],
    ["to control", { mode: "control" }, "control"],
  ])("is %s", async (_, body, mode) => {
    const link = (await mint(body)).read(liveViewURLSchema);
    expect(link.mode).toBe(mode);
    expect(link.url).toMatch(new RegExp(`^${ORIGIN}/live/${id}\\?jwt=[\\w-]+\\.[\\w-]+\\.[\\w-]+$`));
    expect(readClaims(link.url)).toMatchObject({ sub: id, scope: `live:${mode}` });
    const viewer = await ViewerPage.open(link.url);
    expect(await viewer.hear("welcome")).toMatchObject({ mode });
    viewer.close();
  });

  it.each([
    ["as long as all tokens when nobody says", {}, TOKEN_LIFETIME_SECONDS],
    ["as long as is asked for", { expires_in_seconds: 60 }, 60],
    ["a second at least", { expires_in_seconds: 1 }, 1],
    ["never longer than all tokens", { expires_in_seconds: 259_201 }, TOKEN_LIFETIME_SECONDS],
    ["never longer than all tokens", { expires_in_seconds: 2 ** 53 - 1 }, TOKEN_LIFETIME_SECONDS],
  ])("holds %s: %j", async (_, body, seconds) => {
    const before = Date.now();
    const { url, expires_at } = (await mint(body)).read(liveViewURLSchema);
    const { iat, exp } = readClaims(url);
    expect(exp - iat).toBe(seconds);
    expect(Math.floor(Date.parse(expires_at) / 1000)).toBe(exp);
    expect(Date.parse(expires_at)).toBeGreaterThanOrEqual(before + seconds * 1000);
    expect(Date.parse(expires_at)).toBeLessThanOrEqual(Date.now() + seconds * 1000);
  });

  it.each([
    ["mode", { mode: "look" }],
    ["mode", { mode: "" }],
    ["mode", { mode: null }],
    ["expires_in_seconds", { expires_in_seconds: 0 }],
    ["expires_in_seconds", { expires_in_seconds: -1 }],
    ["expires_in_seconds", { expires_in_seconds: 1.5 }],
    ["expires_in_seconds", { expires_in_seconds: "60" }],
    ["expires_in_seconds", { expires_in_seconds: null }],
  ])("is not made when %s is wrong: %j", async (field, body) => {
    expect((await mint(body)).fieldsAtFault).toEqual([field]);
  });

  it("is made for a session's name too, at PUBLIC_URL when that is set", async () => {
    env.PUBLIC_URL = "https://public.example";
    try {
      const { url } = (await mint({}, "shown")).read(liveViewURLSchema);
      expect(url).toMatch(new RegExp(`^https://public\\.example/live/${id}\\?jwt=`));
    } finally {
      env.PUBLIC_URL = "";
    }
  });

  it("is refused for a headless session, which has none", async () => {
    const { session_id } = await client.createSession({ headless: true });
    const answer = await mint({}, session_id);
    expect(answer.status).toBe(400);
    expect(answer.error.message).toContain("headless");
  });

  it("is 404 for a stranger's, an ended and an unknown session alike", async () => {
    const stranger = await newClient();
    const theirs = await stranger.createSession({ name: "theirs" });
    const ended = await client.createSession();
    await client.delete(`/browsers/${ended.session_id}`);
    const longEnded = await insertEndedRow({ organizationId: client.organizationId });
    for (const key of [
      theirs.session_id,
      "theirs",
      ended.session_id,
      longEnded.id,
      newIdentifier(),
      "none",
    ]) {
      const answer = await mint({ mode: "control" }, key);
      expect(answer.status, key).toBe(404);
      expect(answer.error).toMatchObject({ code: "not_found", message: "browser session not found" });
    }
  });

  it("ends with the session", async () => {
    const session = await client.createSession();
    const { url } = (await mint({}, session.session_id)).read(liveViewURLSchema);
    await client.delete(`/browsers/${session.session_id}`);
    const viewer = await ViewerPage.open(url);
    expect(await viewer.closed).toMatchObject({ code: 1008 });
    expect(await viewer.hear("ended")).toMatchObject({ reason: expect.stringContaining("ended") });
  });
});
