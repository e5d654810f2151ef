import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { liveViewURLSchema } from "../../../src/api/live-view/schema.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { newClient, ORIGIN } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { insertEndedRow } from "../../records.ts";
import { ViewerPage } from "./viewers.ts";

useFakeBrowsers();

const TOKEN_LIFETIME_SECONDS = 259_200;
const claimsSchema = z.object({ sub: z.string(), scope: z.string(), iat: z.number(), exp: z.number() });

const readClaims = (url: string) =>
  claimsSchema.parse(JSON.parse(atob(new URL(url).searchParams.get("jwt")?.split(".")[1] ?? "")));

const client = await newClient();
const id = (await client.createSession({ name: "shown", timeout_seconds: 3600 })).session_id;

const createLink = (body?: unknown, key = id) => client.post(`/browsers/${key}/live_view_urls`, body);

describe("POST /browsers/{id}/live_view_urls", () => {
  it.each([
    ["watch by default", undefined, "watch"],
    ["watch with an empty body", {}, "watch"],
    ["watch", { mode: "watch" }, "watch"],
    ["control", { mode: "control" }, "control"],
  ])("creates a link with mode %s", async (_, body, mode) => {
    const link = (await createLink(body)).read(liveViewURLSchema);
    expect(link.mode).toBe(mode);
    expect(link.url).toMatch(new RegExp(`^${ORIGIN}/live/${id}\\?jwt=[\\w-]+\\.[\\w-]+\\.[\\w-]+$`));
    expect(readClaims(link.url)).toMatchObject({ sub: id, scope: `live:${mode}` });
    const viewer = await ViewerPage.open(link.url);
    expect(await viewer.waitFor("welcome")).toMatchObject({ mode });
    viewer.close();
  });

  it.each([
    ["for the lifetime of tokens by default", {}, TOKEN_LIFETIME_SECONDS],
    ["for the requested time", { expires_in_seconds: 60 }, 60],
    ["for one second", { expires_in_seconds: 1 }, 1],
    ["no longer than the lifetime of tokens", { expires_in_seconds: 259_201 }, TOKEN_LIFETIME_SECONDS],
    ["no longer than the lifetime of tokens", { expires_in_seconds: 2 ** 53 - 1 }, TOKEN_LIFETIME_SECONDS],
  ])("creates a link that is valid %s: %j", async (_, body, seconds) => {
    const before = Date.now();
    const { url, expires_at } = (await createLink(body)).read(liveViewURLSchema);
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
  ])("reports an invalid %s: %j", async (field, body) => {
    expect((await createLink(body)).invalidFields).toEqual([field]);
  });

  it("accepts a session's name and uses PUBLIC_URL", async () => {
    env.PUBLIC_URL = "https://public.example";
    try {
      const { url } = (await createLink({}, "shown")).read(liveViewURLSchema);
      expect(url).toMatch(new RegExp(`^https://public\\.example/live/${id}\\?jwt=`));
    } finally {
      env.PUBLIC_URL = "";
    }
  });

  it("rejects headless sessions, which have no live view", async () => {
    const { session_id } = await client.createSession({ headless: true });
    const answer = await createLink({}, session_id);
    expect(answer.status).toBe(400);
    expect(answer.error.message).toContain("headless");
  });

  it("returns 404 for ended, unknown and other organizations' sessions", async () => {
    const otherClient = await newClient();
    const theirs = await otherClient.createSession({ name: "theirs" });
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
      const answer = await createLink({ mode: "control" }, key);
      expect(answer.status, key).toBe(404);
      expect(answer.error.code).toBe("not_found");
      const isEnded = [ended.session_id, longEnded.id].includes(key);
      const message = `browser session not found${isEnded ? ": it ended at" : ""}`;
      expect(answer.error.message.slice(0, message.length + 1).trim(), key).toBe(message);
    }
  });

  it("creates links that end with the session", async () => {
    const session = await client.createSession();
    const { url } = (await createLink({}, session.session_id)).read(liveViewURLSchema);
    await client.delete(`/browsers/${session.session_id}`);
    const viewer = await ViewerPage.open(url);
    expect(await viewer.closed).toMatchObject({ code: 1008 });
    expect(await viewer.waitFor("ended")).toMatchObject({ reason: expect.stringContaining("ended") });
  });
});
