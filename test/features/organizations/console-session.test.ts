import { env } from "cloudflare:workers";
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createdAPIKeySchema } from "../../../src/features/organizations/api-keys/schema.ts";
import {
  CONSOLE_HEADER,
  CONSOLE_SECRET_HEADER,
} from "../../../src/features/organizations/console-session.ts";
import { newSignInToken } from "../../../src/features/organizations/sign-in-link.ts";
import { SignedTokens } from "../../../src/lib/common/signed-tokens.ts";
import {
  Client,
  fetchFromWorker,
  newClient,
  ORIGIN,
  operator,
  type TestResponse,
  upgrade,
  useNewClient,
} from "../../api.ts";
import { advanceTime } from "../../objects.ts";
import { createKey, createProject } from "./projects/projects.ts";

const FROM_CONSOLE = { [CONSOLE_HEADER]: "1" };

const SECRET = "0123456789abcdef0123456789abcdef";

const anonymous = new Client();

/** The cookie that an answer sets, without its attributes. */
function cookieOf(answer: TestResponse): string {
  return answer.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
}

function signIn(key: string | undefined, headers: Record<string, string> = FROM_CONSOLE) {
  return anonymous.post("/console/session", { key }, headers);
}

function signInWithoutTLS(headers: Record<string, string>): Promise<Response> {
  return fetchFromWorker("http://localhost/console/session", {
    method: "POST",
    headers: { ...FROM_CONSOLE, ...headers, "content-type": "application/json" },
    body: JSON.stringify({ key: operator.token }),
  });
}

async function signedIn(key: string | undefined): Promise<{ cookie: string } & Record<string, string>> {
  const answer = await signIn(key);
  expect(answer.status, answer.text).toBe(200);
  return { ...FROM_CONSOLE, cookie: cookieOf(answer) };
}

describe("A sign-in link", () => {
  const LINK_LIFETIME_MS = 900_000;

  async function keyIdOf(owner: Client): Promise<string> {
    const keys = z.array(z.object({ id: z.string() })).parse((await owner.get("/org/api_keys")).json);
    return keys[0]?.id ?? "";
  }

  function follow(token: string, origin = "http://localhost"): Promise<Response> {
    return fetchFromWorker(`${origin}/console/session/link`, {
      method: "POST",
      headers: { ...FROM_CONSOLE, [CONSOLE_SECRET_HEADER]: SECRET, "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
  }

  it("signs in once, with the rights of its key, even after the sign-out", async () => {
    const keyId = await keyIdOf(await newClient());
    const token = await newSignInToken(env.TOKEN_SECRET, { id: crypto.randomUUID(), keyId });
    const answers = await Promise.all([follow(token), follow(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const answer = answers.find(({ status }) => status === 200);
    expect(await answer?.json()).toMatchObject({ kind: "organization", api_key: { id: keyId } });
    const cookie = answer?.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const headers = { ...FROM_CONSOLE, [CONSOLE_SECRET_HEADER]: SECRET, cookie };
    const signOut = await fetchFromWorker("http://localhost/console/session", { method: "DELETE", headers });
    expect(signOut.status).toBe(204);
    expect((await follow(token)).status).toBe(401);
  });

  it("is refused at an address of another machine, after its time, with another secret, and for no key", async () => {
    const keyId = await keyIdOf(await newClient());
    const id = crypto.randomUUID();
    const token = await newSignInToken(env.TOKEN_SECRET, { id, keyId });
    expect((await follow(token, ORIGIN)).status).toBe(401);
    expect((await follow(await newSignInToken("another secret", { id, keyId }))).status).toBe(401);
    const cookie = new SignedTokens("berth-console", [env.TOKEN_SECRET]);
    const expiresAt = Date.now() + LINK_LIFETIME_MS;
    expect(
      (await follow(btoa(await cookie.sign({ jti: id, keyId }, { now: Date.now(), expiresAt })))).status,
    ).toBe(401);
    expect((await follow(await newSignInToken(env.TOKEN_SECRET, { id, keyId: "none" }))).status).toBe(401);
    const late = { id: crypto.randomUUID(), keyId };
    vi.spyOn(Date, "now").mockReturnValueOnce(Date.now() - 2 * LINK_LIFETIME_MS);
    expect((await follow(await newSignInToken(env.TOKEN_SECRET, late))).status).toBe(401);
  });
});

it("A sign-in has no more rights than its key", async () => {
  const owner = await newClient();
  const { id } = await createProject(owner);
  const reading = await signedIn((await createKey(owner, { access: "read" })).token);
  const ofProject = await signedIn((await createKey(owner, { project_id: id })).token);
  expect((await anonymous.get("/browsers", { headers: reading })).status).toBe(200);
  expect((await anonymous.get("/browsers", { headers: ofProject })).status).toBe(200);
  for (const path of ["/browsers", "/mcp", "/session"]) {
    expect((await anonymous.post(path, {}, reading)).status, path).not.toBe(200);
  }
  const elsewhere = { ...ofProject, "x-kernel-project-id": owner.organizationId };
  expect((await anonymous.get("/browsers", { headers: elsewhere })).status).toBe(403);
  for (const path of ["/org/overview", "/org/usage", "/org/webhooks", "/audit-logs"]) {
    expect((await anonymous.get(path, { headers: ofProject })).status, path).toBe(403);
  }
  for (const headers of [reading, ofProject]) {
    for (const path of ["/admin/organizations", "/metrics"]) {
      expect((await anonymous.get(path, { headers })).status, path).toBe(401);
    }
    expect((await upgrade(`${ORIGIN}/connect`, headers)).status).toBe(401);
  }
});

const client = useNewClient();
afterEach(() => {
  vi.restoreAllMocks();
});

/** Expects the cookie to live for `seconds`, less what the requests since `startedAt` took. */
function expectMaxAge(answer: TestResponse, seconds: number, startedAt: number): void {
  const maxAge = Number(/Max-Age=(\d+)/.exec(answer.headers.get("set-cookie") ?? "")?.[1]);
  expect(maxAge).toBeLessThanOrEqual(seconds);
  // Both the start and the age are cut to whole seconds.
  expect(maxAge).toBeGreaterThanOrEqual(seconds - 2 - (Date.now() - startedAt) / 1000);
}

describe("signing in to the console", () => {
  it("exchanges an API key for a cookie that scripts and other sites cannot use", async () => {
    const startedAt = Date.now();
    const answer = await signIn(client.token);
    expect(answer.json).toEqual({
      kind: "organization",
      organization: { id: client.organizationId, name: expect.any(String) },
      api_key: { id: client.keyId, name: "first key" },
      expires_at: expect.any(String),
      by_access: false,
    });
    const [cookie, ...attributes] = (answer.headers.get("set-cookie") ?? "").split("; ");
    expect(cookie).toMatch(/^__Host-berth_console=/);
    expect(cookie).not.toContain(client.token);
    expect(attributes.sort()).toEqual([
      "HttpOnly",
      expect.stringMatching(/^Max-Age=/),
      "Path=/",
      "SameSite=Strict",
      "Secure",
    ]);
    expectMaxAge(answer, 43_200, startedAt);
  });

  it("exchanges ADMIN_TOKEN", async () => {
    expect((await signIn(operator.token)).json).toMatchObject({ kind: "operator" });
  });

  it("uses no secure cookie on a plain http address, where browsers would drop it", async () => {
    const answer = await signInWithoutTLS({ [CONSOLE_SECRET_HEADER]: SECRET });
    expect(answer.headers.get("set-cookie")).toMatch(/^berth_console=[^;]+; .*HttpOnly; SameSite=Strict$/);
  });

  it.each([
    ["the console's secret", { [CONSOLE_SECRET_HEADER]: SECRET }, 200],
    ["no secret, as a service on another port has it", {}, 401],
    ["another secret", { [CONSOLE_SECRET_HEADER]: SECRET.replace("0", "1") }, 401],
  ])("without https, accepts the cookie only with the secret: %s", async (_, secret, status) => {
    const signedIn = await signInWithoutTLS({ [CONSOLE_SECRET_HEADER]: SECRET });
    const cookie = signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const headers = { ...FROM_CONSOLE, ...secret, cookie };
    expect((await fetchFromWorker("http://localhost/admin/organizations", { headers })).status).toBe(status);
  });

  it.each<Record<string, string>>([{}, { [CONSOLE_SECRET_HEADER]: "short" }])(
    "without https, needs a secret: %s",
    async (headers) => {
      const answer = await signInWithoutTLS(headers);
      expect(answer.status).toBe(400);
      expect(answer.headers.has("set-cookie")).toBe(false);
    },
  );

  it.each([
    ["an unknown key", "berth_unknown", 401],
    ["an empty key", "", 400],
    ["no key", undefined, 400],
  ])("refuses %s", async (_, key, status) => {
    const answer = await signIn(key);
    expect(answer.status).toBe(status);
    expect(answer.headers.has("set-cookie")).toBe(false);
  });

  it("refuses a key of a disabled organization", async () => {
    await operator.patch(`/admin/organizations/${client.organizationId}`, { disabled: true });
    expect((await signIn(client.token)).status).toBe(403);
  });

  it.each([
    ["without the header", {}],
    ["from another site", { ...FROM_CONSOLE, "sec-fetch-site": "cross-site" }],
    ["from another host of the domain", { ...FROM_CONSOLE, "sec-fetch-site": "same-site" }],
  ])("refuses requests %s", async (_, headers) => {
    const { cookie } = await signedIn(client.token);
    for (const method of ["POST", "GET", "DELETE"]) {
      const body = method === "POST" ? { key: client.token } : undefined;
      const answer = await anonymous.call(method, "/console/session", {
        headers: { ...headers, cookie },
        body,
      });
      expect(answer.status, method).toBe(403);
      expect(answer.headers.has("set-cookie")).toBe(false);
    }
  });

  it("replaces a cookie that was set before", async () => {
    const planted = await signedIn((await newClient()).token);
    const answer = await signIn(client.token, planted);
    expect(cookieOf(answer)).not.toBe(planted.cookie);
    const session = await anonymous.get("/console/session", {
      headers: { ...FROM_CONSOLE, cookie: cookieOf(answer) },
    });
    expect(session.json).toMatchObject({ organization: { id: client.organizationId } });
  });

  it("ends with a sign-out", async () => {
    const headers = await signedIn(client.token);
    const answer = await anonymous.call("DELETE", "/console/session", { headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toMatch(/^__Host-berth_console=; Max-Age=0; .*HttpOnly/);
    expect((await anonymous.get("/console/session", { headers: FROM_CONSOLE })).json).toEqual({
      kind: "anonymous",
    });
    // A copy of the cookie is not valid either.
    expect((await anonymous.get("/browsers", { headers })).status).toBe(401);
    const asOperator = await signedIn(operator.token);
    expect((await anonymous.get("/admin/organizations", { headers: asOperator })).status).toBe(200);
    await anonymous.call("DELETE", "/console/session", { headers: asOperator });
    expect((await anonymous.get("/admin/organizations", { headers: asOperator })).status).toBe(401);
  });

  it("is listed, and revoked one by one or all at once, with the same key only", async () => {
    const [first, second, third] = [
      await signedIn(client.token),
      await signedIn(client.token),
      await signedIn(client.token),
    ];
    const other = await signedIn((await createKey(client)).token);
    const list = async (headers: Record<string, string>) =>
      signInsSchema.parse((await anonymous.get("/console/session/sign_ins", { headers })).json);
    const works = async (headers: Record<string, string>) =>
      (await anonymous.get("/browsers", { headers })).status === 200;
    const signIns = await list(first);
    expect(signIns.map(({ is_current }) => is_current)).toEqual([false, false, true]);
    const [, middle] = signIns;
    const path = `/console/session/sign_ins/${middle?.id}`;
    expect((await anonymous.call("DELETE", path, { headers: other })).status).toBe(404);
    expect((await anonymous.call("DELETE", path, { headers: first })).status).toBe(204);
    expect((await anonymous.call("DELETE", path, { headers: first })).status).toBe(404);
    expect([await works(first), await works(second), await works(third)]).toEqual([true, false, true]);
    expect((await anonymous.call("DELETE", "/console/session/sign_ins", { headers: third })).status).toBe(
      204,
    );
    expect([await works(first), await works(third), await works(other)]).toEqual([false, false, true]);
    expect((await anonymous.get("/console/session/sign_ins", { headers: first })).status).toBe(401);
  });
});

const signInsSchema = z.array(z.object({ id: z.string(), is_current: z.boolean() }));

describe("the console's cookie", () => {
  it("stands for the API key, and not for the operator", async () => {
    const headers = await signedIn(client.token);
    expect((await anonymous.get("/browsers", { headers })).json).toEqual([]);
    const created = await anonymous.post("/org/api_keys", { name: "by console" }, headers);
    expect(created.json).toMatchObject({ created_by: { id: client.keyId } });
    expect((await anonymous.get("/admin/organizations", { headers })).status).toBe(401);
  });

  it("stands for the operator, and not for an organization", async () => {
    const headers = await signedIn(operator.token);
    expect((await anonymous.get("/admin/organizations", { headers })).status).toBe(200);
    expect((await anonymous.get("/browsers", { headers })).status).toBe(401);
  });

  it.each([
    ["without the header", {}],
    ["from another site", { ...FROM_CONSOLE, "sec-fetch-site": "cross-site" }],
    ["from another host of the domain", { ...FROM_CONSOLE, "sec-fetch-site": "same-site" }],
    ["of a navigation", { ...FROM_CONSOLE, "sec-fetch-site": "none" }],
  ])("is ignored %s", async (_, headers) => {
    const { cookie } = await signedIn(client.token);
    expect((await anonymous.get("/browsers", { headers: { ...headers, cookie } })).status).toBe(401);
    const { cookie: operatorCookie } = await signedIn(operator.token);
    const asOperator = { headers: { ...headers, cookie: operatorCookie } };
    expect((await anonymous.get("/admin/organizations", asOperator)).status).toBe(401);
  });

  it("is ignored beside an Authorization header", async () => {
    const headers = { ...(await signedIn(client.token)), authorization: "Bearer berth_unknown" };
    expect((await anonymous.get("/browsers", { headers })).status).toBe(401);
  });

  it("is ignored by WebDriver and connect URLs", async () => {
    const headers = await signedIn(client.token);
    expect((await anonymous.post("/session", { capabilities: {} }, headers)).status).toBe(401);
    expect((await anonymous.get("/connect/json/version", { headers })).status).toBe(401);
  });

  it("ends when its key is deleted", async () => {
    const created = (await client.post("/org/api_keys", { name: "x" })).read(createdAPIKeySchema);
    const headers = await signedIn(created.key);
    expect((await anonymous.get("/browsers", { headers })).status).toBe(200);
    await client.delete(`/org/api_keys/${created.id}`);
    expect((await anonymous.get("/browsers", { headers })).status).toBe(401);
    expect((await anonymous.get("/console/session", { headers })).json).toEqual({ kind: "anonymous" });
  });

  it("ends when its key expires", async () => {
    const created = (await client.post("/org/api_keys", { name: "x" })).read(createdAPIKeySchema);
    const headers = await signedIn(created.key);
    await env.DB.prepare("UPDATE api_keys SET expires_at = 1 WHERE id = ?").bind(created.id).run();
    advanceTime(30_001);
    expect((await anonymous.get("/browsers", { headers })).status).toBe(401);
  });

  it("ends when its organization is disabled", async () => {
    const headers = await signedIn(client.token);
    await operator.patch(`/admin/organizations/${client.organizationId}`, { disabled: true });
    expect((await anonymous.get("/browsers", { headers })).status).toBe(403);
  });

  it("is anonymous then, so that somebody else can sign in", async () => {
    const headers = await signedIn(client.token);
    await operator.patch(`/admin/organizations/${client.organizationId}`, { disabled: true });
    expect((await anonymous.get("/console/session", { headers })).json).toEqual({ kind: "anonymous" });
  });

  it("counts only for the key that the console shows", async () => {
    const other = await newClient();
    const headers = await signedIn(client.token);
    for (const [shown, status] of [
      [client.keyId, 200],
      [other.keyId, 401],
      ["operator", 401],
    ] as const) {
      const answer = await anonymous.get("/browsers", { headers: { ...headers, [CONSOLE_HEADER]: shown } });
      expect(answer.status, shown).toBe(status);
    }
  });

  it("ends when ADMIN_TOKEN changes", async () => {
    const headers = await signedIn(operator.token);
    const token = env.ADMIN_TOKEN;
    env.ADMIN_TOKEN = "another-token-of-the-tests-32-bytes!";
    try {
      expect((await anonymous.get("/admin/organizations", { headers })).status).toBe(401);
    } finally {
      env.ADMIN_TOKEN = token;
    }
  });

  it("expires", async () => {
    const headers = await signedIn(client.token);
    advanceTime(43_201_000);
    expect((await anonymous.get("/browsers", { headers })).status).toBe(401);
  });

  it.each([
    ["of another secret", "another secret of the tests, 32 bytes", "berth-console"],
    ["of the URL of a session", env.TOKEN_SECRET, "berth"],
  ])("is no token %s", async (_, secret, issuer) => {
    const times = { now: Date.now(), expiresAt: Date.now() + 60_000 };
    const { cookie } = await signedIn(client.token);
    const claims = decodeJwt(cookie.split("=")[1] ?? "");
    const token = await new SignedTokens(issuer, [secret]).sign(claims, times);
    const headers = { ...FROM_CONSOLE, cookie: `__Host-berth_console=${token}` };
    expect((await anonymous.get("/browsers", { headers })).status).toBe(401);
  });

  it("without its prefix is ignored on https, where other hosts could set it", async () => {
    const { cookie } = await signedIn(client.token);
    const headers = { ...FROM_CONSOLE, cookie: cookie.replace("__Host-", "") };
    expect((await anonymous.get("/browsers", { headers })).status).toBe(401);
  });
});

describe("Cloudflare Access", () => {
  const TEAM = "https://team.cloudflareaccess.test";
  const AUDIENCE = "aud-of-the-application";
  let privateKey: CryptoKey;
  let publicKeys: object;

  beforeAll(async () => {
    const pair = await generateKeyPair("RS256");
    privateKey = pair.privateKey;
    publicKeys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: "first", alg: "RS256" }] };
  });

  const before = { ...env };
  beforeEach(() => {
    Object.assign(env, { ACCESS_TEAM_DOMAIN: TEAM, ACCESS_AUDIENCE: AUDIENCE });
    vi.spyOn(globalThis, "fetch").mockImplementation(async (url) => {
      expect(String(url instanceof Request ? url.url : url)).toBe(`${TEAM}/cdn-cgi/access/certs`);
      return Response.json(publicKeys);
    });
  });
  afterEach(() => {
    const { ACCESS_TEAM_DOMAIN, ACCESS_AUDIENCE, ACCESS_SIGNS_IN_AS } = before;
    Object.assign(env, { ACCESS_TEAM_DOMAIN, ACCESS_AUDIENCE, ACCESS_SIGNS_IN_AS });
  });

  function accessToken({ issuer = TEAM, audience = AUDIENCE, lifetime = "1h" } = {}): Promise<string> {
    return new SignJWT({ email: "person@example.com" })
      .setProtectedHeader({ alg: "RS256", kid: "first" })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(lifetime)
      .sign(privateKey);
  }

  async function readSession(token: string): Promise<TestResponse> {
    return anonymous.get("/console/session", {
      headers: { ...FROM_CONSOLE, "cf-access-jwt-assertion": token },
    });
  }

  it("signs in the operator, until its own token expires", async () => {
    const startedAt = Date.now();
    const answer = await readSession(await accessToken());
    expect(answer.json).toMatchObject({ kind: "operator", by_access: true });
    expectMaxAge(answer, 3600, startedAt);
    const headers = { ...FROM_CONSOLE, cookie: cookieOf(answer) };
    expect((await anonymous.get("/admin/organizations", { headers })).status).toBe(200);
  });

  it("signs in with the rights of an API key", async () => {
    env.ACCESS_SIGNS_IN_AS = client.keyId;
    const answer = await readSession(await accessToken());
    expect(answer.json).toMatchObject({ kind: "organization", api_key: { id: client.keyId } });
  });

  it("ends when Access signs in with other rights, or no longer", async () => {
    const headers = { ...FROM_CONSOLE, cookie: cookieOf(await readSession(await accessToken())) };
    for (const change of [{ ACCESS_SIGNS_IN_AS: client.keyId }, { ACCESS_TEAM_DOMAIN: "" }]) {
      const { ACCESS_SIGNS_IN_AS } = before;
      Object.assign(env, { ACCESS_TEAM_DOMAIN: TEAM, ACCESS_SIGNS_IN_AS, ...change });
      expect((await anonymous.get("/admin/organizations", { headers })).status).toBe(401);
    }
  });

  it("signs nobody in with the rights of an unknown key", async () => {
    env.ACCESS_SIGNS_IN_AS = "unknown";
    const answer = await readSession(await accessToken());
    expect(answer.json).toEqual({ kind: "anonymous" });
    expect(answer.headers.has("set-cookie")).toBe(false);
  });

  it.each([
    ["of another team", { issuer: "https://other.cloudflareaccess.test" }],
    ["of another application", { audience: "other" }],
    ["that has expired", { lifetime: "-1s" }],
  ])("does not sign in with a token %s", async (_, details) => {
    const answer = await readSession(await accessToken(details));
    expect(answer.json).toEqual({ kind: "anonymous" });
    expect(answer.headers.has("set-cookie")).toBe(false);
  });

  it("does not sign in with a token that somebody else signed", async () => {
    const other = await generateKeyPair("RS256");
    const own = privateKey;
    privateKey = other.privateKey;
    const token = await accessToken();
    privateKey = own;
    expect((await readSession(token)).json).toEqual({ kind: "anonymous" });
  });

  it("does not sign in where it is not configured", async () => {
    const token = await accessToken();
    for (const name of ["ACCESS_TEAM_DOMAIN", "ACCESS_AUDIENCE"]) {
      Object.assign(env, { ACCESS_TEAM_DOMAIN: TEAM, ACCESS_AUDIENCE: AUDIENCE, [name]: "" });
      expect((await readSession(token)).json).toEqual({ kind: "anonymous" });
    }
  });
});
