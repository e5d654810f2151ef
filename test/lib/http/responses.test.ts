import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import { Client, newClient, operator } from "../../api.ts";

const SECRETS = ["TOKEN_SECRET", "ENCRYPTION_KEY", "ADMIN_TOKEN"] as const;
const secrets = SECRETS.map((name) => [name, env[name]] as const);
const { MAX_SESSION_SECONDS } = env;

const anonymous = new Client();

afterEach(() => {
  for (const [name, value] of secrets) env[name] = value;
  env.MAX_SESSION_SECONDS = MAX_SESSION_SECONDS;
});

it.each([
  ["PUT", "/browsers", "DELETE, GET, HEAD, POST"],
  ["POST", "/profiles/any", "DELETE, GET, HEAD, PATCH"],
  ["DELETE", "/org/limits", "GET, HEAD, PATCH"],
])("%s %s returns 405 with the allowed methods", async (method, path, allow) => {
  const response = await (await newClient()).call(method, path);
  expect(response.status).toBe(405);
  expect(response.error.code).toBe("method_not_allowed");
  expect(response.headers.get("allow")?.split(", ").sort().join(", ")).toBe(allow);
});

it("hides routes from unauthenticated clients", async () => {
  expect((await anonymous.call("PUT", "/browsers")).status).toBe(401);
  expect((await anonymous.call("PUT", "/health")).status).toBe(401);
});

it.each(["/health", "/browsers", "/nowhere"])("forbids caching JSON from %s", async (path) => {
  const response = await (await newClient()).get(path);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
});

it.each([
  ["TOKEN_SECRET", ""],
  ["TOKEN_SECRET", "x".repeat(31)],
  ["ENCRYPTION_KEY", "AAECAwQFBgcICQoLDA0ODw=="],
  ["ENCRYPTION_KEY", "not base64, and long enough to be a secret"],
  ["MAX_SESSION_SECONDS", "soon"],
] as const)("reports an invalid %s to the operator only", async (name, value) => {
  env[name] = value;
  const health = await anonymous.get("/health");
  expect(health.status).toBe(503);
  expect(health.json).toEqual({ status: "misconfigured", message: "The service is misconfigured" });
  expect((await operator.get("/health")).text).toContain(name);
  expect((await operator.get("/admin/organizations")).text).not.toContain(name);
});

it("hides details from everyone while ADMIN_TOKEN is weak", async () => {
  env.ADMIN_TOKEN = "";
  expect((await new Client("").get("/health")).json).toMatchObject({
    message: "The service is misconfigured",
  });
});

it("rate-limits failed authentication by IP address", async () => {
  const headers = { "cf-connecting-ip": `2001:db8::${crypto.randomUUID().slice(0, 4)}` };
  const client = await newClient();
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 70; attempt += 1) {
    statuses.push((await anonymous.get("/browsers", { headers })).status);
  }
  expect(statuses[0]).toBe(401);
  expect(statuses.at(-1)).toBe(429);
  expect((await client.get("/browsers", { headers })).status).toBe(200);
  expect((await anonymous.get("/browsers", { headers: { "cf-connecting-ip": "2001:db8::9" } })).status).toBe(
    401,
  );
});
