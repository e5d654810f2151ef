import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import { Client, newClient, operator } from "../api.ts";

const SECRETS = ["TOKEN_SECRET", "ENCRYPTION_KEY", "ADMIN_TOKEN"] as const;
const secrets = SECRETS.map((name) => [name, env[name]] as const);
const { MAX_SESSION_SECONDS } = env;

const anybody = new Client();

afterEach(() => {
  for (const [name, value] of secrets) env[name] = value;
  env.MAX_SESSION_SECONDS = MAX_SESSION_SECONDS;
});

it.each([
  ["PUT", "/browsers", "DELETE, GET, HEAD, POST"],
  ["POST", "/profiles/any", "DELETE, GET, HEAD, PATCH"],
  ["DELETE", "/org/limits", "GET, HEAD, PATCH"],
])("%s %s is 405 and says what the path has", async (method, path, allow) => {
  const answer = await (await newClient()).call(method, path);
  expect(answer.status).toBe(405);
  expect(answer.error.code).toBe("method_not_allowed");
  expect(answer.headers.get("allow")?.split(", ").sort().join(", ")).toBe(allow);
});

it("tells somebody without a key nothing of its routes", async () => {
  expect((await anybody.call("PUT", "/browsers")).status).toBe(401);
  expect((await anybody.call("PUT", "/health")).status).toBe(401);
});

it.each(["/health", "/browsers", "/nowhere"])("has JSON from %s stored by nobody", async (path) => {
  const answer = await (await newClient()).get(path);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
});

it.each([
  ["TOKEN_SECRET", ""],
  ["TOKEN_SECRET", "x".repeat(31)],
  ["ENCRYPTION_KEY", "AAECAwQFBgcICQoLDA0ODw=="],
  ["ENCRYPTION_KEY", "not base64, and long enough to be a secret"],
  ["MAX_SESSION_SECONDS", "soon"],
] as const)("names a bad %s to the operator alone", async (name, value) => {
  env[name] = value;
  const told = await anybody.get("/health");
  expect(told.status).toBe(503);
  expect(told.json).toEqual({ status: "misconfigured", message: "The service is misconfigured" });
  expect((await operator.get("/health")).text).toContain(name);
  expect((await operator.get("/admin/organizations")).text).not.toContain(name);
});

it("tells nobody more while ADMIN_TOKEN is weak", async () => {
  env.ADMIN_TOKEN = "";
  expect((await new Client("").get("/health")).json).toMatchObject({
    message: "The service is misconfigured",
  });
});

it("answers 429 to an address that fails to authenticate too often, and only to that", async () => {
  const headers = { "cf-connecting-ip": `2001:db8::${crypto.randomUUID().slice(0, 4)}` };
  const client = await newClient();
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 70; attempt += 1) {
    statuses.push((await anybody.get("/browsers", { headers })).status);
  }
  expect(statuses[0]).toBe(401);
  expect(statuses.at(-1)).toBe(429);
  expect((await client.get("/browsers", { headers })).status).toBe(200);
  expect((await anybody.get("/browsers", { headers: { "cf-connecting-ip": "2001:db8::9" } })).status).toBe(
    401,
  );
});
