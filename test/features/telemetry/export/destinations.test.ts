import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { selectDestination } from "../../../../src/features/telemetry/export/index.ts";
import { destinationSchema } from "../../../../src/features/telemetry/export/schema.ts";
import { openDatabase } from "../../../../src/lib/database/client.ts";
import { otlpDestinations } from "../../../../src/lib/database/schema/telemetry.ts";
import { newClient, operator, useNewClient } from "../../../api.ts";
import { createDestination } from "./destinations.ts";
import { ENDPOINT, FakeReceiver } from "./receiver.ts";

const PATH = "/org/otlp_destinations";
const SECRET = "correct-horse-battery";
const HEADERS = { Authorization: `Bearer ${SECRET}`, "x-team": "blue" };

const client = useNewClient();
afterEach(() => {
  vi.restoreAllMocks();
  env.ALLOW_PRIVATE_ADDRESSES = "false";
});

const create = (body: object = {}, owner = client) => createDestination(owner, body);

async function readRow(id: string) {
  const [row] = await openDatabase(env.DB).select().from(otlpDestinations).where(eq(otlpDestinations.id, id));
  return row;
}

describe("a destination", () => {
  it("is found by id and name, and shows only the names of its headers", async () => {
    const destination = await create({ headers: HEADERS });
    expect(destination).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{24}$/),
      name: "collector",
      endpoint: ENDPOINT,
      headers: { authorization: "", "x-team": "" },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    for (const key of [destination.id, "collector"]) {
      expect((await client.get(`${PATH}/${key}`)).read(destinationSchema)).toEqual(destination);
    }
  });

  it("has a unique name", async () => {
    await create();
    const other = await create({ name: "other" });
    const refused = await client.post(PATH, { name: "collector", endpoint: ENDPOINT });
    expect(refused.status).toBe(409);
    expect((await client.patch(`${PATH}/${other.id}`, { name: "collector" })).status).toBe(409);
    await create({}, await newClient());
  });

  it.each([
    ["https://otlp.example.invalid", "https://otlp.example.invalid"],
    ["https://otlp.example.invalid/otlp/", "https://otlp.example.invalid/otlp"],
    ["https://otlp.example.invalid/otlp/v1/logs", "https://otlp.example.invalid/otlp"],
    ["https://OTLP.example.invalid:443/v1/logs/", "https://otlp.example.invalid"],
  ])("with the endpoint %s has the base %s", async (endpoint, base) => {
    expect(await create({ endpoint })).toMatchObject({ endpoint: base });
  });

  it.each([
    [{ endpoint: "http://otlp.example.com" }, "endpoint"],
    [{ endpoint: "ftp://otlp.example.com" }, "endpoint"],
    [{ endpoint: "otlp.example.com" }, "endpoint"],
    [{ endpoint: `https://user:${SECRET}@otlp.example.com` }, "endpoint"],
    [{ endpoint: `https://otlp.example.com/?key=${SECRET}` }, "endpoint"],
    [{ endpoint: "https://127.0.0.1:4318" }, "endpoint"],
    [{ endpoint: "https://[::1]:4318" }, "endpoint"],
    [{ endpoint: "https://169.254.169.254" }, "endpoint"],
    [{ endpoint: "https://collector.internal" }, "endpoint"],
    [{ name: "two words" }, "name"],
    [{ name: "a".repeat(24) }, "name"],
    [{ headers: { key: `${SECRET}\r\nx-injected: 1` } }, "headers.key"],
    [{ headers: { key: `${SECRET}\n` } }, "headers.key"],
    [{ headers: { key: `${SECRET}\u0000` } }, "headers.key"],
    [{ headers: { "bad\r\nname": SECRET } }, "headers.bad\r\nname"],
    [{ headers: { "": SECRET } }, "headers."],
    [{ headers: { Host: SECRET } }, "headers.Host"],
    [{ headers: { "Content-Type": SECRET } }, "headers.Content-Type"],
    [{ headers: { "transfer-encoding": "chunked" } }, "headers.transfer-encoding"],
    [{ headers: { a: SECRET.repeat(150), b: SECRET.repeat(150), c: SECRET.repeat(150) } }, "headers"],
    [{ headers: { key: null } }, "headers.key"],
  ])("is refused with %j", async (body, field) => {
    const response = await client.post(PATH, { name: "collector", endpoint: ENDPOINT, ...body });
    expect(response.invalidFields).toEqual([field]);
    expect(response.text).not.toContain(SECRET);
    expect((await client.get(PATH)).json).toEqual([]);
  });

  it("may be plain http in a private network if the operator allows it", async () => {
    env.ALLOW_PRIVATE_ADDRESSES = "true";
    expect(await create({ endpoint: "http://127.0.0.1:4318" })).toMatchObject({
      endpoint: "http://127.0.0.1:4318",
    });
  });

  it("is not found after deletion", async () => {
    const { id } = await create();
    expect((await client.delete(`${PATH}/${id}`)).status).toBe(204);
    expect((await client.get(`${PATH}/${id}`)).status).toBe(404);
    expect((await client.delete(`${PATH}/${id}`)).status).toBe(404);
    await create();
  });

  it("is deleted with its organization", async () => {
    const { id } = await create({ headers: HEADERS });
    expect((await operator.delete(`/admin/organizations/${client.organizationId}`)).status).toBe(204);
    expect(await readRow(id)).toBeUndefined();
  });

  it("is listed in pages, newest first", async () => {
    for (const name of ["a", "b", "c"]) await create({ name });
    const first = await client.get(`${PATH}?limit=2`);
    expect(first.read(destinationSchema.array())).toHaveLength(2);
    expect(first.headers.get("x-next-offset")).toBe("2");
    expect((await client.get(`${PATH}?limit=2&offset=2`)).read(destinationSchema.array())).toHaveLength(1);
    expect((await client.get(`${PATH}?name=b`)).json).toMatchObject([{ name: "b" }]);
  });
});

describe("a change", () => {
  it("sets and removes single headers", async () => {
    const receiver = new FakeReceiver();
    const { id } = await create({ headers: HEADERS });
    const headers = { AUTHORIZATION: "Bearer new", "X-Team": null, "x-new": "1" };
    const changed = (await client.patch(`${PATH}/${id}`, { name: "renamed", headers })).read(
      destinationSchema,
    );
    expect(changed).toMatchObject({ name: "renamed", headers: { authorization: "", "x-new": "" } });
    expect(changed.headers).not.toHaveProperty("x-team");
    await client.post(`${PATH}/renamed/test`);
    expect(receiver.requests[0]?.headers.get("authorization")).toBe("Bearer new");
    expect(receiver.requests[0]?.headers.has("x-team")).toBe(false);
  });

  it("does not send stored headers to another origin", async () => {
    const { id } = await create({ headers: HEADERS });
    const endpoint = "https://93.184.215.15";
    const partly = { endpoint, headers: { authorization: "Bearer new" } };
    expect((await client.patch(`${PATH}/${id}`, { endpoint })).invalidFields).toEqual(["headers"]);
    expect((await client.patch(`${PATH}/${id}`, partly)).invalidFields).toEqual(["headers"]);
    expect((await client.patch(`${PATH}/${id}`, { endpoint: `${ENDPOINT}/other` })).status).toBe(200);
    const fully = { endpoint, headers: { authorization: "Bearer new", "x-team": null } };
    expect((await client.patch(`${PATH}/${id}`, fully)).status).toBe(200);
  });

  it("is refused for a private endpoint", async () => {
    const { id } = await create();
    const response = await client.patch(`${PATH}/${id}`, { endpoint: "https://10.0.0.1" });
    expect(response.invalidFields).toEqual(["endpoint"]);
  });

  it("does not undo a concurrent one", async () => {
    const { id } = await create({ headers: HEADERS });
    const responses = await Promise.all(
      ["one", "two", "three"].map((key) => client.patch(`${PATH}/${id}`, { headers: { [key]: "1" } })),
    );
    const shown = (await client.get(`${PATH}/${id}`)).read(destinationSchema).headers;
    for (const [index, key] of ["one", "two", "three"].entries()) {
      expect(key in shown).toBe(responses[index]?.status === 200);
    }
  });
});

describe("header values", () => {
  it("are stored encrypted, and never returned or logged", async () => {
    const logged = [vi.spyOn(console, "log"), vi.spyOn(console, "error")];
    const receiver = new FakeReceiver();
    receiver.responses.push(() =>
      Response.json({ message: `bad key Bearer ${SECRET} or ${SECRET}` }, { status: 401 }),
    );
    const { id } = await create({ headers: HEADERS });
    const test = await client.post(`${PATH}/${id}/test`);
    expect(test.json).toEqual({ success: false, status: 401, message: "HTTP 401: bad key … or …" });
    expect(receiver.requests[0]?.headers.get("authorization")).toBe(`Bearer ${SECRET}`);
    const responses = [test, await client.get(PATH), await client.patch(`${PATH}/${id}`, { name: "x" })];
    for (const { text } of responses) expect(text).not.toContain(SECRET);
    const row = await readRow(id);
    expect(JSON.stringify(row)).not.toContain(SECRET);
    expect(atob(row?.encryptedHeaders ?? "")).not.toContain(SECRET);
    const lines = logged.flatMap((spy) => spy.mock.calls.flat()).join("\n");
    expect(lines).toContain(PATH);
    expect(lines).not.toContain(SECRET);
  });

  it("of another destination cannot be used", async () => {
    const receiver = new FakeReceiver();
    const first = await create({ headers: HEADERS });
    const second = await create({ name: "second" });
    const { encryptedHeaders = "" } = (await readRow(first.id)) ?? {};
    await openDatabase(env.DB)
      .update(otlpDestinations)
      .set({ encryptedHeaders })
      .where(eq(otlpDestinations.id, second.id));
    expect((await client.post(`${PATH}/${second.id}/test`)).json).toMatchObject({ success: false });
    expect(receiver.requests).toEqual([]);
  });
});

describe("a test", () => {
  it("sends one record", async () => {
    const receiver = new FakeReceiver();
    await create({ endpoint: `${ENDPOINT}/otlp` });
    expect((await client.post(`${PATH}/collector/test`)).json).toEqual({ success: true, status: 200 });
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]?.url).toBe(`${ENDPOINT}/otlp/v1/logs`);
    expect(receiver.requests[0]?.resource).toEqual({ "service.name": "berth" });
    expect(receiver.eventNames).toEqual(["export_test"]);
  });

  it("does not follow a redirect", async () => {
    const receiver = new FakeReceiver();
    receiver.responses.push(
      () => new Response(null, { status: 307, headers: { location: "http://10.0.0.1/" } }),
    );
    await create();
    const result = (await client.post(`${PATH}/collector/test`)).json;
    expect(result).toEqual({ success: false, status: 307, message: "HTTP 307" });
    expect(receiver.requests).toHaveLength(1);
  });

  it("does not reach a private address that was allowed before", async () => {
    const receiver = new FakeReceiver();
    env.ALLOW_PRIVATE_ADDRESSES = "true";
    await create({ endpoint: "http://127.0.0.1:4318" });
    env.ALLOW_PRIVATE_ADDRESSES = "false";
    const result = (await client.post(`${PATH}/collector/test`)).json;
    expect(result).toMatchObject({ success: false, message: expect.stringContaining("private") });
    expect(receiver.requests).toEqual([]);
  });

  it("reads no endless answer", async () => {
    const cancelled = Promise.withResolvers<void>();
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(8192)),
      cancel: () => cancelled.resolve(),
    });
    new FakeReceiver().responses.push(() => new Response(body));
    await create();
    const result = (await client.post(`${PATH}/collector/test`)).json;
    expect(result).toMatchObject({
      success: false,
      message: expect.stringContaining("larger than 65536 bytes"),
    });
    await cancelled.promise;
  });
});

describe("another organization's destination", () => {
  it("is neither found, changed, deleted, tested nor selected", async () => {
    const receiver = new FakeReceiver();
    const { id } = await create();
    const stranger = await newClient();
    for (const key of [id, "collector"]) {
      expect((await stranger.get(`${PATH}/${key}`)).status).toBe(404);
      expect((await stranger.patch(`${PATH}/${key}`, { name: "stolen" })).status).toBe(404);
      expect((await stranger.delete(`${PATH}/${key}`)).status).toBe(404);
      expect((await stranger.post(`${PATH}/${key}/test`)).status).toBe(404);
      await expect(
        selectDestination(openDatabase(env.DB), stranger.organizationId, key),
      ).rejects.toMatchObject({
        status: 400,
        problems: [{ field: "telemetry.export.otlp.destination", message: "destination not found" }],
      });
      expect(await selectDestination(openDatabase(env.DB), client.organizationId, key)).toBe(id);
    }
    expect((await stranger.get(PATH)).json).toEqual([]);
    expect(receiver.requests).toEqual([]);
  });
});
