import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import { newClient, useNewClient } from "../../api.ts";
import { appSource, deploymentForm, postDeployment, zipOf } from "../apps/deployments/deployments.ts";
import { extensionZip, upload } from "../extensions/extensions.ts";

const SETTINGS = [
  "MAX_API_KEYS",
  "MAX_DEPLOYMENTS",
  "MAX_EXTENSIONS",
  "MAX_OTLP_DESTINATIONS",
  "MAX_PROFILES",
  "MAX_PROXIES",
  "MAX_STORED_MEBIBYTES",
  "MAX_WEBHOOKS",
] as const;
const defaults = SETTINGS.map((name) => [name, env[name]] as const);

const client = useNewClient();
afterEach(() => {
  for (const [name, value] of defaults) env[name] = value;
});

const OTLP_DESTINATION = { endpoint: "https://93.184.215.14" };
const PROXY = { type: "custom", protocol: "http", config: { host: "proxy.example.com", port: 3128 } };

it.each([
  ["MAX_API_KEYS", "/org/api_keys", { name: "one more" }, 1],
  ["MAX_OTLP_DESTINATIONS", "/org/otlp_destinations", OTLP_DESTINATION, 0],
  ["MAX_PROFILES", "/profiles", {}, 0],
  ["MAX_PROXIES", "/proxies", PROXY, 0],
  ["MAX_WEBHOOKS", "/org/webhooks", { url: "https://93.184.215.14/" }, 0],
] as const)(
  "%s limits an organization, even with concurrent requests",
  async (name, path, body, existing) => {
    env[name] = String(existing + 2);
    const field = path === "/org/webhooks" ? "description" : "name";
    const bodies = ["a", "b", "c", "d"].map((text) => ({ [field]: text, ...body }));
    const responses = await Promise.all(bodies.map((named) => client.post(path, named)));
    expect(responses.filter(({ status }) => status < 300)).toHaveLength(2);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(2);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.error.message).toContain(name);
    expect(refused?.headers.get("x-should-retry")).toBe("false");
    expect((await (await newClient()).post(path, bodies[0])).status).toBeLessThan(300);
  },
);

it("counts rotated keys until they expire", async () => {
  env.MAX_API_KEYS = "2";
  const created = await client.post("/org/api_keys", { name: "rotated" });
  const { id } = created.json as { id: string };
  const refused = await client.post(`/org/api_keys/${id}/rotate`, { expire_in_days: 7 });
  expect(refused.status).toBe(429);
  expect(refused.error.message).toContain("MAX_API_KEYS");
  const immediate = await client.post(`/org/api_keys/${id}/rotate`, { expire_in_days: 0 });
  expect(immediate.status).toBe(200);
  expect((await client.post("/org/api_keys", { name: "one more" })).status).toBe(429);
  // The rotated key is no longer counted.
  env.MAX_API_KEYS = "3";
  expect((await client.post("/org/api_keys", { name: "one more" })).status).toBe(200);
});

it("rotates a key once on concurrent requests and respects the limit", async () => {
  env.MAX_API_KEYS = "2";
  const { id } = (await client.post("/org/api_keys", { name: "rotated" })).json as { id: string };
  const rotate = () => client.post(`/org/api_keys/${id}/rotate`, { expire_in_days: 0 });
  const statuses = (await Promise.all([rotate(), rotate(), rotate()])).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 409, 409]);
});

it("does not count deleted resources", async () => {
  env.MAX_PROFILES = "1";
  const { id } = (await client.post("/profiles", {})).json as { id: string };
  expect((await client.post("/profiles", {})).status).toBe(429);
  expect((await client.delete(`/profiles/${id}`)).status).toBe(204);
  expect((await client.post("/profiles", {})).status).toBe(200);
});

it("limits the number and size of extensions", async () => {
  env.MAX_EXTENSIONS = "1";
  expect((await upload(client, extensionZip())).status).toBe(200);
  expect((await upload(client, extensionZip())).status).toBe(429);
  env.MAX_EXTENSIONS = "2";
  env.MAX_STORED_MEBIBYTES = "0";
  const full = await upload(client, extensionZip());
  expect(full.status).toBe(413);
  expect(await full.text()).toContain("MAX_STORED_MEBIBYTES");
  env.MAX_STORED_MEBIBYTES = "1";
  expect((await upload(client, extensionZip())).status).toBe(200);
});

it("limits the number and size of deployments", async () => {
  const post = () => postDeployment(client, deploymentForm(zipOf({ "index.ts": appSource("quota") })));
  env.MAX_DEPLOYMENTS = "1";
  expect((await post()).status).toBe(200);
  expect((await post()).error.message).toContain("MAX_DEPLOYMENTS");
  env.MAX_DEPLOYMENTS = "2";
  env.MAX_STORED_MEBIBYTES = "0";
  expect((await post()).status).toBe(413);
});
