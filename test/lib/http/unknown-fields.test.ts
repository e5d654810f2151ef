import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createSessionBodySchema } from "../../../src/features/sessions/schema.ts";
import { createdWebhookSchema } from "../../../src/features/webhooks/schema.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { findUnknownFields, presentUnknownFields } from "../../../src/lib/http/unknown-fields.ts";
import { newClient, operator } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";

useFakeBrowsers();
const client = await newClient();

const headerOf = (body: unknown) => presentUnknownFields(findUnknownFields(createSessionBodySchema, body));

describe("findUnknownFields", () => {
  it.each<[body: string, header: string]>([
    ['{"timeout_seconds": 60, "tags": {"any": "x"}, "viewport": {"width": 1}}', ""],
    ['{"tmeout_seconds": 60}', "tmeout_seconds"],
    [
      '{"viewport": {"widht": 1}, "extensions": [{"id": "x"}, {"nmae": "x"}]}',
      "viewport.widht, extensions.nmae",
    ],
    ['{"telemetry": {"browser": {"consol": {}}}}', "telemetry.browser.consol"],
    [
      '{"__proto__": {"timeout_seconds": 1}, "constructor": 1, "toString": 1}',
      "__proto__, constructor, toString",
    ],
    ['{"a\\r\\nset-cookie: x": 1}', "a%0D%0Aset-cookie%3A%20x"],
    ['{"é,\\ud800": 1}', "%C3%A9%2C%EF%BF%BD"],
    ['{"": 1}', ""],
    ["[1]", ""],
    ["null", ""],
  ])("finds those of %s", (body, header) => {
    expect(headerOf(JSON.parse(body))).toBe(header);
  });

  it("is bounded in number, length and depth", () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`x${n}`, 1]));
    expect(headerOf(many).split(", ")).toHaveLength(20);
    const extensions = Array.from({ length: 100_000 }, (_, n) => ({ [`x${n}`]: 1 }));
    expect(headerOf({ extensions }).split(", ")).toHaveLength(20);
    expect(headerOf({ ["\u{1F600}".repeat(500_000)]: 1 }).length).toBeLessThan(1000);
    const long = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`${n}${"\u{20AC}".repeat(100)}`, 1]),
    );
    expect(headerOf(long).length).toBeLessThanOrEqual(2000);
    let nested: unknown = {};
    for (let depth = 0; depth < 5000; depth += 1) nested = { viewport: nested, x: nested };
    expect(headerOf(nested)).toBe("viewport.viewport, viewport.x, x");
  });

  it("finds the nearest known field", () => {
    const found = findUnknownFields(createSessionBodySchema, {
      tmeout_seconds: 1,
      headles: true,
      x: 1,
      gpu: 1,
    });
    expect(found.map(({ nearest }) => nearest)).toEqual([
      "timeout_seconds",
      "headless",
      undefined,
      undefined,
    ]);
  });

  it("knows the fields of all alternatives", () => {
    const schema = z.union([z.object({ a: z.int() }), z.object({ b: z.object({ c: z.int() }) })]);
    expect(findUnknownFields(schema, { a: 1, b: { c: 1, d: 1 } }).map(({ place }) => place)).toEqual(["b.d"]);
    expect(findUnknownFields(z.looseObject({}), { a: 1 })).toEqual([]);
    expect(findUnknownFields(z.record(z.string(), z.unknown()), { a: 1 })).toEqual([]);
  });
});

describe("an unknown field", () => {
  it("is accepted, and named in a header and in the session's events", async () => {
    const created = await client.post("/browsers", { tmeout_seconds: 60, telemetry: { enabled: true } });
    expect(created.status).toBe(200);
    expect(created.headers.get("x-unknown-fields")).toBe("tmeout_seconds");
    const { session_id } = z.looseObject({ session_id: z.string() }).parse(created.json);
    const events = await client.get(`/browsers/${session_id}/telemetry/events?order=asc&limit=100`);
    expect(events.text).toContain("tmeout_seconds (did you mean timeout_seconds?)");
    const known = await client.patch(`/browsers/${session_id}`, { name: "known" });
    expect(known.headers.has("x-unknown-fields")).toBe(false);
  });

  it("is named if it is in the query, too", async () => {
    const listed = await client.get("/browsers?statuss=active&tags[team]=a&tags[x]=b&limit=1");
    expect(listed.headers.get("x-unknown-fields")).toBe("statuss");
  });

  it("is named beside an error", async () => {
    const missing = await client.patch(`/browsers/${newIdentifier()}`, { nmae: "x" });
    expect(missing.status).toBe(404);
    expect(missing.headers.get("x-unknown-fields")).toBe("nmae");
  });

  it.each(["network", "vaults", "memory", "proxy"])(
    "%s of newer clients is refused for browsers",
    async (field) => {
      const { session_id } = await client.createSession();
      const bodies: [method: string, path: string, body: object][] = [
        ["POST", "/browsers", {}],
        ["PATCH", `/browsers/${session_id}`, {}],
        ["POST", "/browser_pools", { size: 1 }],
        ["PATCH", `/browser_pools/${newIdentifier()}`, { size: 1 }],
        ["POST", `/browser_pools/${newIdentifier()}/acquire`, {}],
      ];
      for (const [method, path, body] of bodies) {
        const answer = await client.call(method, path, { body: { ...body, [field]: { id: "x" } } });
        expect(answer.invalidFields, `${method} ${path}`).toEqual([field]);
      }
      expect((await client.post("/browsers", { [field]: null })).status).toBe(200);
    },
  );

  it.each<[method: string, path: string, body: object, field: string]>([
    ["POST", "/org/webhooks", { url: "https://r.example/", events: ["session.ended"] }, "events"],
    ["POST", "/org/api_keys", { name: "x", acess: "read" }, "acess"],
    ["POST", "/org/api_keys", { name: "x", policy: { actions: [] } }, "policy"],
    ["POST", "/org/api_keys", { name: "x", expires: 1 }, "expires"],
    ["POST", "/org/projects", { name: "x", max_concurrent_sesions: 1 }, "max_concurrent_sesions"],
    [
      "PATCH",
      "/org/limits",
      { default_project_max_concurent_sessions: 1 },
      "default_project_max_concurent_sessions",
    ],
    [
      "POST",
      "/org/otlp_destinations",
      { name: "x", endpoint: "https://o.example/", categorys: [] },
      "categorys",
    ],
  ])("is refused by %s %s", async (method, path, body, field) => {
    const answer = await client.call(method, path, { body });
    expect(answer.invalidFields).toEqual([field]);
  });

  it("is refused for budgets and limits of the operator", async () => {
    const body = { max_concurent_sessions: 1 };
    const answer = await operator.patch(`/admin/organizations/${client.organizationId}`, body);
    expect(answer.error.message).toContain("did you mean max_concurrent_sessions?");
  });

  it("does not change webhooks with known fields", async () => {
    const body = { url: "https://r.example/", event_types: ["session.ended"] };
    const answer = await client.post("/org/webhooks", body);
    expect(createdWebhookSchema.parse(answer.json).event_types).toEqual(["session.ended"]);
  });
});
