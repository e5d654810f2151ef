import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { saveProfile } from "../../../src/features/profiles/save-profile.ts";
import { profileSchema } from "../../../src/features/profiles/schema.ts";
import { selectProfile } from "../../../src/features/profiles/select-profile.ts";
import { touchProfile } from "../../../src/features/profiles/store.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { newClient, useNewClient } from "../../api.ts";
import { contentKeys, newProfile, newState } from "../../features/profiles/profiles.ts";

const client = useNewClient();

describe("profile routes", () => {
  it("create a profile that is found by id and by name", async () => {
    const profile = await newProfile(client, "shopping");
    expect(profile).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{24}$/),
      name: "shopping",
      created_at: expect.stringMatching(/Z$/),
      updated_at: profile.created_at,
      last_used_at: null,
    });
    expect((await client.get(`/profiles/${profile.id}`)).json).toEqual(profile);
    expect((await client.get("/profiles/shopping")).json).toEqual(profile);
    expect((await client.get("/profiles/unknown")).status).toBe(404);
  });

  it.each([undefined, {}, { name: "" }, { name: null }])(
    "create a profile without a name from %j",
    async (body) => {
      const profile = (await client.post("/profiles", body)).read(profileSchema);
      expect(profile.name).toBeNull();
      expect((await client.post("/profiles", body)).status).toBe(200);
    },
  );

  it.each([{ name: "a b" }, { name: 5 }, { name: "x".repeat(256) }, { name: ".." }])(
    "reject the name in %j",
    async (body) => {
      expect((await client.post("/profiles", body)).invalidFields).toEqual(["name"]);
      await newProfile(client, "known");
      expect((await client.patch("/profiles/known", body)).invalidFields).toEqual(["name"]);
    },
  );

  it("keep names unique, even with concurrent requests", async () => {
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => client.post("/profiles", { name: "one" })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const conflict = responses.find(({ status }) => status === 409);
    expect(conflict?.headers.get("x-should-retry")).toBe("false");
    expect((await client.delete("/profiles/one")).status).toBe(204);
    await newProfile(client, "one");
    await newProfile(await newClient(), "one");
  });

  it("rename a profile, unless the name is taken", async () => {
    const { id } = await newProfile(client, "first");
    await newProfile(client, "second");
    expect((await client.patch(`/profiles/${id}`, { name: "second" })).status).toBe(409);
    expect((await client.patch("/profiles/first", { name: "third" })).json).toMatchObject({
      id,
      name: "third",
    });
    expect((await client.patch("/profiles/third", { name: "third" })).status).toBe(200);
    expect((await client.patch("/profiles/third", {})).invalidFields).toEqual(["name"]);
    expect((await client.get("/profiles/first")).status).toBe(404);
  });

  it("list profiles newest first, filtered by name or query", async () => {
    const profiles = [];
    for (const name of ["Alpha", "beta", "gamma"]) profiles.unshift(await newProfile(client, name));
    const list = async (query: string) => {
      const response = await client.get(`/profiles${query}`);
      return response.read(profileSchema.array()).map(({ name }) => name);
    };
    expect((await list("")).sort()).toEqual(["Alpha", "beta", "gamma"]);
    expect(await list("?name=beta")).toEqual(["beta"]);
    expect(await list("?query=ALPH")).toEqual(["Alpha"]);
    expect(await list(`?query=${profiles[0]?.id}`)).toEqual(["gamma"]);
    const page = await client.get("/profiles?limit=2");
    expect(page.headers.get("x-next-offset")).toBe("2");
    const rest = await client.get("/profiles?limit=2&offset=2");
    expect([page, rest].flatMap((response) => response.read(profileSchema.array())).length).toBe(3);
    expect(rest.headers.get("x-has-more")).toBe("false");
  });

  it("delete a profile and its contents", async () => {
    const { id } = await newProfile(client, "gone");
    await saveProfile(env, { organizationId: client.organizationId, profileId: id }, newState("kept"));
    expect(await contentKeys(client.organizationId)).toHaveLength(1);
    expect((await client.delete("/profiles/gone")).status).toBe(204);
    expect(await contentKeys(client.organizationId)).toEqual([]);
    for (const path of [`/profiles/${id}`, "/profiles/gone", `/profiles/${id}/download`]) {
      expect((await client.get(path)).status).toBe(404);
    }
    expect((await client.patch(`/profiles/${id}`, { name: "back" })).status).toBe(404);
    expect((await client.delete(`/profiles/${id}`)).status).toBe(404);
    expect((await client.get("/profiles")).json).toEqual([]);
  });

  it("download saved contents as JSON", async () => {
    const { id } = await newProfile(client, "kept");
    const empty = await client.get("/profiles/kept/download");
    expect([empty.status, empty.text]).toEqual([202, ""]);
    const state = newState("é日😀");
    await saveProfile(env, { organizationId: client.organizationId, profileId: id }, state);
    for (const query of ["", "?format=tar", "?format=tar.zst"]) {
      const response = await client.get(`/profiles/kept/download${query}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.json).toEqual(state);
    }
    expect((await client.get("/profiles/kept/download?format=zip")).invalidFields).toEqual(["format"]);
  });

  it("show when a profile was last updated and used", async () => {
    const { id, created_at } = await newProfile(client);
    await saveProfile(env, { organizationId: client.organizationId, profileId: id }, newState("new"));
    await touchProfile(openDatabase(env.DB), id, 0);
    const profile = (await client.get(`/profiles/${id}`)).read(profileSchema);
    expect(Date.parse(profile.updated_at)).toBeGreaterThanOrEqual(Date.parse(created_at));
    expect(profile.last_used_at).toBe("1970-01-01T00:00:00.000Z");
  });
});

describe("selectProfile", () => {
  const database = openDatabase(env.DB);

  it("finds a profile by id or by name", async () => {
    const { id } = await newProfile(client, "named");
    for (const selection of [{ id }, { name: "named" }]) {
      expect(
        await selectProfile(database, { organizationId: client.organizationId, projectId: "" }, selection),
      ).toMatchObject({
        id,
        name: "named",
      });
    }
  });

  it("rejects profiles that are unknown, deleted or another organization's, and names given as ids", async () => {
    const { id } = await newProfile(client, "named");
    const otherClient = await newClient();
    const deleted = await newProfile(client, "gone");
    await client.delete("/profiles/gone");
    for (const [organizationId, selection] of [
      [client.organizationId, { id: "named" }],
      [client.organizationId, { name: id }],
      [client.organizationId, { id: deleted.id }],
      [client.organizationId, { name: "gone" }],
      [otherClient.organizationId, { id }],
      [otherClient.organizationId, { name: "named" }],
    ] as const) {
      await expect(
        selectProfile(database, { organizationId, projectId: "" }, selection),
      ).rejects.toMatchObject({
        code: "bad_request",
        problems: [{ field: "profile", message: "profile not found" }],
      });
    }
  });
});
