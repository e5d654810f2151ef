import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createRunKey, RUN_KEY_ISSUER, runKeys } from "../../../../src/features/apps/invocations/run-key.ts";
import { URL_TOKEN_ISSUER } from "../../../../src/features/sessions/requests/url-token.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import { SignedTokens } from "../../../../src/lib/common/signed-tokens.ts";
import { Client, newClient, upgrade } from "../../../api.ts";
import { useFakeBrowsers } from "../../../fakes/browser-binding.ts";
import { useBlockedRuns, type WaitingRun } from "./waiting-runs.ts";

useFakeBrowsers();
const startRun = useBlockedRuns();

const HOUR_MS = 3_600_000;
const RUN = {
  organizationId: "organization",
  projectId: "project",
  invocationId: "invocation",
  expiresAt: Date.now() + HOUR_MS,
};
const currentSecret = env.TOKEN_SECRET;

async function forge({
  secret = currentSecret,
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
    env.TOKEN_SECRET = currentSecret;
    env.TOKEN_SECRET_PREVIOUS = undefined;
  });

  it("reads a key that it created", async () => {
    const key = await createRunKey(env, RUN);
    expect(key).toMatch(/^berth_run_/);
    const { expiresAt, ...run } = (await runKeys.read(env, key)) ?? {};
    expect(run).toEqual({ organizationId: "organization", projectId: "project", invocationId: "invocation" });
    expect(expiresAt).toBeGreaterThanOrEqual(RUN.expiresAt);
    expect(expiresAt).toBeLessThanOrEqual(RUN.expiresAt + 1000);
  });

  it("reads a valid forged key, so that the rejections below have their own reasons", async () => {
    expect(await runKeys.read(env, await forge({}))).toMatchObject({ invocationId: "invocation" });
  });

  it("reads keys signed with the previous secret", async () => {
    const key = await createRunKey(env, RUN);
    env.TOKEN_SECRET = "the secret after it";
    expect(await runKeys.read(env, key)).toBeUndefined();
    env.TOKEN_SECRET_PREVIOUS = currentSecret;
    expect(await runKeys.read(env, key)).toMatchObject({ invocationId: "invocation" });
  });

  const unreadable: [string, () => string | Promise<string>][] = [
    ["expired", () => createRunKey(env, { ...RUN, expiresAt: Date.now() - 2000 })],
    ["signed with another secret", () => forge({ secret: "another" })],
    ["of another issuer", () => forge({ issuer: URL_TOKEN_ISSUER })],
    ["without an organization", () => forge({ claims: { sub: "invocation" } })],
    ["without an invocation", () => forge({ claims: { organization: "organization" } })],
    ["without its prefix", async () => (await createRunKey(env, RUN)).replace("berth_run_", "")],
    ["with another prefix", async () => (await createRunKey(env, RUN)).replace("berth_run_", "berth_")],
    ["truncated", async () => (await createRunKey(env, RUN)).slice(0, -4)],
    ["only the prefix", () => "berth_run_"],
    ["an API key", async () => (await newClient()).token ?? ""],
  ];

  it.each(unreadable)("rejects a key that is %s", async (_, make) => {
    expect(await runKeys.read(env, await make())).toBeUndefined();
  });
});

describe("a run key", () => {
  let owner: Client;
  let run: WaitingRun;
  beforeAll(async () => {
    owner = await newClient();
    run = await startRun(owner);
  });

  async function statusWith(key: string): Promise<number> {
    return (await new Client(key).get("/browsers")).status;
  }

  it("grants access to its own resources", async () => {
    expect((await run.client.get("/browsers")).json).toEqual([]);
    expect((await run.client.get(`/invocations/${run.id}`)).json).toMatchObject({ id: run.id });
  });

  const rejected: [string, () => Promise<string>][] = [
    ["has expired", () => createRunKey(env, { projectId: "", ...identify(), expiresAt: Date.now() - 2000 })],
    ["is forged", () => forge({ secret: "another", claims: claimsOf(run.id) })],
    [
      "names an unknown invocation",
      () => createRunKey(env, { projectId: "", ...identify(), invocationId: newIdentifier() }),
    ],
    [
      "names another organization",
      async () =>
        createRunKey(env, {
          projectId: "",
          ...identify(),
          organizationId: (await newClient()).organizationId,
        }),
    ],
    ["is the token of a session URL", async () => tokenOf((await run.client.createSession()).cdp_ws_url)],
  ];

  it.each(rejected)("gets a 401 when it %s", async (_, make) => {
    expect(await statusWith(await make())).toBe(401);
  });

  it("is not accepted in a session URL", async () => {
    const { cdp_ws_url } = await run.client.createSession();
    const key = run.client.token ?? "";
    for (const token of [key, key.replace("berth_run_", "")]) {
      const response = await upgrade(cdp_ws_url.replace(tokenOf(cdp_ws_url), token));
      expect(response.status).toBe(401);
    }
  });

  it("gets a 401 as soon as the invocation has finished, even if used just before", async () => {
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

  it("can finish its own invocation and is then invalid", async () => {
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
