import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createRunKey, RUN_KEY_ISSUER, runKeys } from "../../../src/apps/invocations/run-key.ts";
import { newIdentifier } from "../../../src/common/identifiers.ts";
import { SignedTokens } from "../../../src/common/signed-tokens.ts";
import { URL_TOKEN_ISSUER } from "../../../src/sessions/api/url-token.ts";
import { Client, newClient, upgrade } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { useWaitingRuns, type WaitingRun } from "./waiting-runs.ts";

useFakeBrowsers();
const startRun = useWaitingRuns();

const HOUR_MS = 3_600_000;
const RUN = { organizationId: "organization", invocationId: "invocation", expiresAt: Date.now() + HOUR_MS };
const present = env.TOKEN_SECRET;

/** A key made by hand, of any issuer, secret and claims. */
async function forge({
  secret = present,
  issuer = RUN_KEY_ISSUER,
  claims = { sub: RUN.invocationId, organization: RUN.organizationId },
  now = Date.now(),
}: {
  secret?: string;
  issuer?: string;
  claims?: Record<string, string>;
  now?: number;
}): Promise<string> {
  const tokens = new SignedTokens(issuer, [secret]);
  return `berth_run_${await tokens.sign(claims, { now, expiresAt: now + HOUR_MS })}`;
}

describe("runKeys", () => {
  afterEach(() => {
    env.TOKEN_SECRET = present;
    env.TOKEN_SECRET_PREVIOUS = undefined;
  });

  it("reads what a key was made of, which can be recognized as one", async () => {
    const key = await createRunKey(env, RUN);
    expect(key).toMatch(/^berth_run_/);
    const { expiresAt, ...run } = (await runKeys.read(env, key)) ?? {};
    expect(run).toEqual({ organizationId: "organization", invocationId: "invocation" });
    expect(expiresAt).toBeGreaterThanOrEqual(RUN.expiresAt);
    expect(expiresAt).toBeLessThanOrEqual(RUN.expiresAt + 1000);
  });

  it("reads a key made by hand as it makes them, so that the refusals below are for their own reason", async () => {
    expect(await runKeys.read(env, await forge({}))).toMatchObject({ invocationId: "invocation" });
  });

  it("reads keys that were signed with the secret before the present one", async () => {
    const key = await createRunKey(env, RUN);
    env.TOKEN_SECRET = "the secret after it";
    expect(await runKeys.read(env, key)).toBeUndefined();
    env.TOKEN_SECRET_PREVIOUS = present;
    expect(await runKeys.read(env, key)).toMatchObject({ invocationId: "invocation" });
  });

  const unreadable: [string, () => string | Promise<string>][] = [
    ["expired", () => createRunKey(env, { ...RUN, expiresAt: Date.now() - 2000 })],
    ["signed with another secret", () => forge({ secret: "another" })],
    ["another kind's", () => forge({ issuer: URL_TOKEN_ISSUER })],
    ["of no organization", () => forge({ claims: { sub: "invocation" } })],
    ["of no invocation", () => forge({ claims: { organization: "organization" } })],
    ["without its prefix", async () => (await createRunKey(env, RUN)).replace("berth_run_", "")],
    ["with another prefix", async () => (await createRunKey(env, RUN)).replace("berth_run_", "berth_")],
    ["cut off", async () => (await createRunKey(env, RUN)).slice(0, -4)],
    ["a prefix alone", () => "berth_run_"],
    ["an API key", async () => (await newClient()).token ?? ""],
  ];

  it.each(unreadable)("reads none that is %s", async (_, make) => {
    expect(await runKeys.read(env, await make())).toBeUndefined();
  });
});

describe("the key of a run", () => {
  let owner: Client;
  let run: WaitingRun;
  beforeAll(async () => {
    owner = await newClient();
    run = await startRun(owner);
  });

  async function statusWith(key: string): Promise<number> {
    return (await new Client(key).get("/browsers")).status;
  }

  it("opens what is its own", async () => {
    expect((await run.client.get("/browsers")).json).toEqual([]);
    expect((await run.client.get(`/invocations/${run.id}`)).json).toMatchObject({ id: run.id });
  });

  const refused: [string, () => Promise<string>][] = [
    ["has expired", () => createRunKey(env, { ...identify(), expiresAt: Date.now() - 2000 })],
    ["is forged", () => forge({ secret: "another", claims: claimsOf(run.id) })],
    [
      "names an invocation that there is not",
      () => createRunKey(env, { ...identify(), invocationId: newIdentifier() }),
    ],
    [
      "names another organization than the invocation's",
      async () => createRunKey(env, { ...identify(), organizationId: (await newClient()).organizationId }),
    ],
    ["is a token of a session's URL", async () => tokenOf((await run.client.createSession()).cdp_ws_url)],
  ];

  it.each(refused)("is 401 when it %s", async (_, make) => {
    expect(await statusWith(await make())).toBe(401);
  });

  it("opens no session's URL", async () => {
    const { cdp_ws_url } = await run.client.createSession();
    const key = run.client.token ?? "";
    for (const token of [key, key.replace("berth_run_", "")]) {
      const response = await upgrade(cdp_ws_url.replace(tokenOf(cdp_ws_url), token));
      expect(response.status).toBe(401);
    }
  });

  it("is 401 from the moment on that the invocation has finished, also where it was used just before", async () => {
    const finished = await startRun(owner);
    expect((await finished.client.get("/browsers")).status).toBe(200);
    await finished.finish();
    const answer = await finished.client.get("/browsers");
    expect(answer.status).toBe(401);
    expect(answer.error).toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("has finished"),
    });
    expect((await finished.client.post("/browsers")).status).toBe(401);
    expect((await run.client.get("/browsers")).status).toBe(200);
  });

  it("finishes its own invocation, and is good no more then", async () => {
    const { client, id } = await startRun(owner);
    const answer = await client.patch(`/invocations/${id}`, { status: "succeeded", output: '"done"' });
    expect(answer.json).toMatchObject({ status: "succeeded", output: '"done"' });
    expect((await client.get(`/invocations/${id}`)).status).toBe(401);
  });

  function identify() {
    return { organizationId: owner.organizationId, invocationId: run.id, expiresAt: Date.now() + HOUR_MS };
  }

  function claimsOf(invocationId: string) {
    return { sub: invocationId, organization: owner.organizationId };
  }
});

function tokenOf(url: string): string {
  return new URL(url).searchParams.get("jwt") ?? "";
}
