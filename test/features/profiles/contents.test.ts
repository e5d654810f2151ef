import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  describeContents,
  MAX_CHARACTERS,
  MAX_ENTRIES,
} from "../../../src/features/profiles/describe-contents.ts";
import { saveProfile } from "../../../src/features/profiles/save-profile.ts";
import { profileContentsSchema } from "../../../src/features/profiles/schema.ts";
import { parseStorage } from "../../../src/features/profiles/stored-storage.ts";
import type { BrowserState } from "../../../src/platform/browser/index.ts";
import { newClient, useNewClient } from "../../api.ts";
import { newProfile, newState } from "./profiles.ts";

const COOKIE = { name: "a", value: "1", domain: "a.test", path: "/", httpOnly: false, secure: false };

/** A store as pages save it; the records come last. */
function newStore(name: string, records: unknown[], details: object = {}) {
  return { name, keyPath: null, autoIncrement: false, indexes: [], lastNumber: 0, ...details, records };
}

function newStorage(localStorage: [string, string][], stores: object[] = []): string {
  const databases = stores.length === 0 ? [] : [{ name: "mail", version: 3, stores }];
  return JSON.stringify({ localStorage, databases });
}

const STATE: BrowserState = {
  version: 1,
  cookies: [
    {
      ...COOKIE,
      name: "session",
      value: "sécret",
      domain: ".a.test",
      path: "/app",
      expires: 1_800_000_000.5,
      httpOnly: true,
      secure: true,
      sameSite: "Lax",
      partitionKey: { topLevelSite: "https://top.test", hasCrossSiteAncestor: true },
    },
    COOKIE,
    { ...COOKIE, name: "forever", value: "", expires: 1e15 },
  ],
  origins: [
    {
      origin: "https://a.test",
      storage: newStorage(
        [["cart", "3 pärs"]],
        [newStore("drafts", [[["secret"]], [["two"]]]), newStore("sent", [])],
      ),
    },
    { origin: "https://b.test", storage: newStorage([]) },
  ],
  skipped: 0,
};

const client = useNewClient();

describe("GET /profiles/{id_or_name}/contents", () => {
  it("lists cookies and storage without values", async () => {
    const { id } = await newProfile(client, "kept");
    await saveProfile(env, { organizationId: client.organizationId, profileId: id }, STATE);
    for (const path of [`/profiles/${id}/contents`, "/profiles/kept/contents?include_values=false"]) {
      const response = await client.get(path);
      expect(profileContentsSchema.parse(response.json)).toEqual(response.json);
      expect(response.json).toEqual({
        cookies: [
          {
            name: "session",
            domain: ".a.test",
            path: "/app",
            expires_at: "2027-01-15T08:00:00.500Z",
            secure: true,
            http_only: true,
            same_site: "Lax",
            partition_key: "https://top.test",
            size_bytes: 14,
          },
          { name: "a", domain: "a.test", path: "/", secure: false, http_only: false, size_bytes: 2 },
          {
            name: "forever",
            domain: "a.test",
            path: "/",
            expires_at: "9999-12-31T23:59:59.999Z",
            secure: false,
            http_only: false,
            size_bytes: 7,
          },
        ],
        origins: [
          {
            origin: "https://a.test",
            local_storage: [{ key: "cart", size_bytes: 11 }],
            indexed_db: [
              {
                name: "mail",
                version: 3,
                object_stores: [
                  { name: "drafts", records: 2 },
                  { name: "sent", records: 0 },
                ],
              },
            ],
          },
          { origin: "https://b.test", local_storage: [], indexed_db: [] },
        ],
        truncated: false,
      });
      for (const value of ["sécret", "secret", "pärs"]) expect(response.text).not.toContain(value);
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
  });

  it("adds the values of cookies and localStorage on request", async () => {
    const { id } = await newProfile(client);
    await saveProfile(env, { organizationId: client.organizationId, profileId: id }, STATE);
    const response = await client.get(`/profiles/${id}/contents?include_values=true`);
    const { cookies, origins } = response.read(profileContentsSchema);
    expect(cookies.map(({ value }) => value)).toEqual(["sécret", "1", ""]);
    expect(origins[0]?.local_storage).toEqual([{ key: "cart", size_bytes: 11, value: "3 pärs" }]);
    expect(response.text).not.toContain('"secret"');
  });

  it("answers 202 before the first save, and 404 for unknown, deleted and others' profiles", async () => {
    const { id } = await newProfile(client, "kept");
    const empty = await client.get("/profiles/kept/contents");
    expect([empty.status, empty.text]).toEqual([202, ""]);
    await saveProfile(env, { organizationId: client.organizationId, profileId: id }, newState("x"));
    const other = await newClient();
    for (const name of [id, "kept"]) {
      expect((await other.get(`/profiles/${name}/contents?include_values=true`)).status).toBe(404);
    }
    expect((await client.get("/profiles/unknown/contents")).status).toBe(404);
    await client.delete("/profiles/kept");
    expect((await client.get(`/profiles/${id}/contents`)).status).toBe(404);
    const invalid = await client.get(`/profiles/${id}/contents?include_values=1`);
    expect(invalid.invalidFields).toEqual(["include_values"]);
  });

  it("answers 500 when a saved storage is malformed", async () => {
    const { id } = await newProfile(client);
    const origins = [{ origin: "https://a.test", storage: '{"localStorage":' }];
    const owner = { organizationId: client.organizationId, profileId: id };
    await saveProfile(env, owner, { ...newState("x"), origins });
    const response = await client.get(`/profiles/${id}/contents`);
    expect([response.status, response.error.message]).toEqual([
      500,
      "The profile's content cannot be read: It is not a browser state",
    ]);
  });
});

describe("describeContents", () => {
  const describeOf = (state: Partial<BrowserState>, includesValues = false) =>
    describeContents({ version: 1, cookies: [], origins: [], skipped: 0, ...state }, { includesValues });

  it("lists at most so many entries", () => {
    const cookies = Array.from({ length: MAX_ENTRIES - 2 }, () => COOKIE);
    const origins = [{ origin: "https://a.test", storage: newStorage([["one", ""]]) }];
    expect(describeOf({ cookies, origins }).truncated).toBe(false);
    const full = describeOf({ cookies: [...cookies, COOKIE], origins });
    expect(full.cookies).toHaveLength(MAX_ENTRIES - 1);
    expect(full.origins).toEqual([{ origin: "https://a.test", local_storage: [], indexed_db: [] }]);
    expect(full.truncated).toBe(true);
    const stores = Array.from({ length: MAX_ENTRIES }, (_, index) => newStore(`${index}`, []));
    const { truncated, origins: cut } = describeOf({
      origins: [{ origin: "https://a.test", storage: newStorage([], stores) }],
    });
    expect([truncated, cut[0]?.indexed_db[0]?.object_stores.length]).toEqual([true, MAX_ENTRIES - 2]);
  });

  it("leaves out what is too long, and lists the rest", () => {
    const items: [string, string][] = [
      ["long", "x".repeat(MAX_CHARACTERS)],
      ["short", "y"],
    ];
    const state = { origins: [{ origin: "https://a.test", storage: newStorage(items) }] };
    const withValues = describeOf(state, true);
    expect(withValues.origins[0]?.local_storage).toEqual([{ key: "short", size_bytes: 6, value: "y" }]);
    expect(withValues.truncated).toBe(true);
    const without = describeOf(state);
    expect(without.origins[0]?.local_storage).toHaveLength(2);
    expect(without.truncated).toBe(false);
  });
});

describe("parseStorage", () => {
  it.each([
    [0, []],
    [1, [[["x"]]]],
    [2, [[["a,b", [1, 2]]], [['"records":[1,2]']]]],
    [3, [[["}]\\"]], [['\\"']], [[{ records: [1, 2, 3] }]]]],
  ])("counts %d records", (count, records) => {
    const text = newStorage([], [newStore("a", records), newStore("b", [1])]);
    expect(parseStorage(text).databases[0]?.stores).toEqual([
      { name: "a", records: count },
      { name: "b", records: 1 },
    ]);
  });

  it("is not misled by names and values", () => {
    const odd = '"records":[{"stores":[';
    const store = newStore("records", [1, 2], {
      keyPath: "records",
      indexes: [{ name: "records", keyPath: ["records", odd], unique: false, multiEntry: false }],
    });
    const text = newStorage([["records", odd]], [store]);
    const { localStorage, databases } = parseStorage(text);
    expect(localStorage).toEqual([["records", odd]]);
    expect(databases[0]?.stores).toEqual([{ name: "records", records: 2 }]);
  });

  it.each(["", "{}", '{"localStorage":[],"databases":[{"stores":[{"records":[1', "[", '{"a":"'])(
    "refuses %j",
    (text) => {
      expect(() => parseStorage(text)).toThrow();
    },
  );
});
