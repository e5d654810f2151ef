import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { loadProfile } from "../../../src/features/profiles/load-profile.ts";
import { ProfileDeletedError, saveProfile } from "../../../src/features/profiles/save-profile.ts";
import { sweepProfiles } from "../../../src/features/profiles/sweep.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { type Client, newClient, operator } from "../../api.ts";
import { insertEndedRow } from "../../records.ts";
import { contentKeys, newProfile, newState, readProfileRow } from "./profiles.ts";

const HOUR_MS = 3_600_000;

/** When orphans that are there now are searched and old enough: at minute 20 of an hour. */
const nextSearch = () => Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS + 20 * 60_000;

let client: Client;
let owner: { organizationId: string; profileId: string };
beforeEach(async () => {
  client = await newClient();
  owner = { organizationId: client.organizationId, profileId: (await newProfile(client, "kept")).id };
});

const load = () => loadProfile(env, { organizationId: owner.organizationId, projectId: "" }, owner.profileId);

/** An environment with some methods of R2 replaced. */
function envWith(change: Partial<Pick<R2Bucket, "put" | "delete" | "get">>): Env {
  const files = new Proxy(env.FILES, {
    get(target, name) {
      const own = Reflect.get(change, name);
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { ...env, FILES: files };
}

function envWithFailingDatabase(): Env {
  const fail = () => {
    throw new Error("crashed by a test");
  };
  return { ...env, DB: new Proxy(env.DB, { get: () => fail }) };
}

describe("profile content", () => {
  it("is empty at first, then the last saved state", async () => {
    expect(await load()).toBeUndefined();
    for (const text of ["first", "second"]) {
      await saveProfile(env, owner, newState(text));
      expect(await load()).toEqual(newState(text));
    }
    const keys = await contentKeys(owner.organizationId);
    const row = await readProfileRow(owner.profileId);
    expect(keys).toEqual([`profiles/${owner.organizationId}/${owner.profileId}/${row?.contentId}`]);
    expect((await env.FILES.head(keys[0] ?? ""))?.size).toBe(row?.sizeBytes);
  });

  it("is compressed and encrypted in the bucket", async () => {
    const storage = "secret ".repeat(100_000);
    await saveProfile(env, owner, { ...newState(""), origins: [{ origin: "https://a.test", storage }] });
    const [key = ""] = await contentKeys(owner.organizationId);
    const stored = await (await env.FILES.get(key))?.bytes();
    expect(stored?.length).toBeLessThan(20_000);
    expect(new TextDecoder().decode(stored)).not.toContain("secret");
    expect((await load())?.origins).toEqual([{ origin: "https://a.test", storage }]);
  });

  it("can be as large as a browser state", async () => {
    const bytes = new Uint8Array(24 * 1024 * 1024);
    for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    const origins = [{ origin: "https://a.test", storage: bytes.toBase64() }];
    await saveProfile(env, owner, { ...newState(""), origins });
    const loaded = await load();
    expect(loaded?.origins[0]?.storage === origins[0]?.storage).toBe(true);
  });

  it("is unchanged when a save fails before its last step, and the orphaned object is swept", async () => {
    await saveProfile(env, owner, newState("old"));
    const [kept = ""] = await contentKeys(owner.organizationId);
    await expect(saveProfile(envWithFailingDatabase(), owner, newState("new"))).rejects.toThrow("crashed");
    expect(await contentKeys(owner.organizationId)).toHaveLength(2);
    expect(await load()).toEqual(newState("old"));
    // It could belong to a save in progress.
    await sweepProfiles(env, Date.now());
    expect(await contentKeys(owner.organizationId)).toHaveLength(2);
    await sweepProfiles(env, nextSearch());
    expect(await contentKeys(owner.organizationId)).toEqual([kept]);
    expect(await load()).toEqual(newState("old"));
  });

  it("is unchanged when the upload fails, and is replaced when only the cleanup fails", async () => {
    await saveProfile(env, owner, newState("old"));
    const failing = () => Promise.reject(new Error("crashed"));
    await expect(saveProfile(envWith({ put: failing }), owner, newState("new"))).rejects.toThrow("crashed");
    expect(await load()).toEqual(newState("old"));
    await expect(saveProfile(envWith({ delete: failing }), owner, newState("new"))).rejects.toThrow(
      "crashed",
    );
    expect(await load()).toEqual(newState("new"));
    expect(await contentKeys(owner.organizationId)).toHaveLength(2);
    await sweepProfiles(env, nextSearch());
    expect(await contentKeys(owner.organizationId)).toHaveLength(1);
    expect(await load()).toEqual(newState("new"));
  });

  it("is that of the last of two concurrent saves, and the other is removed", async () => {
    const stored = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const slow = envWith({
      put: async (...parameters: Parameters<R2Bucket["put"]>) => {
        const object = await env.FILES.put(...parameters);
        stored.resolve();
        await finish.promise;
        return object;
      },
    });
    const late = saveProfile(slow, owner, newState("late"));
    await stored.promise;
    await saveProfile(env, owner, newState("early"));
    expect(await load()).toEqual(newState("early"));
    finish.resolve();
    await late;
    expect(await load()).toEqual(newState("late"));
    expect(await contentKeys(owner.organizationId)).toHaveLength(1);
  });

  it("stays consistent under many concurrent saves and reads", async () => {
    const texts = Array.from({ length: 12 }, (_, index) => `state ${index}`);
    await saveProfile(env, owner, newState("before"));
    const saves = texts.map((text) => saveProfile(env, owner, newState(text)));
    const reads = Array.from({ length: 12 }, load);
    await Promise.all(saves);
    const states = [newState("before"), ...texts.map(newState)];
    for (const state of await Promise.all(reads)) expect(states).toContainEqual(state);
    expect(states.slice(1)).toContainEqual(await load());
    expect(await contentKeys(owner.organizationId)).toHaveLength(1);
  });

  it("is read again when a save replaces it during the read", async () => {
    await saveProfile(env, owner, newState("old"));
    let isReplaced = false;
    const replacing = envWith({
      get: async (key: string) => {
        if (!isReplaced) await saveProfile(env, owner, newState("new"));
        isReplaced = true;
        return env.FILES.get(key);
      },
    });
    expect(
      await loadProfile(replacing, { organizationId: owner.organizationId, projectId: "" }, owner.profileId),
    ).toEqual(newState("new"));
  });

  it("is not saved once the profile is deleted, even during the save", async () => {
    const deleting = envWith({
      put: async (...parameters: Parameters<R2Bucket["put"]>) => {
        const object = await env.FILES.put(...parameters);
        expect((await client.delete(`/profiles/${owner.profileId}`)).status).toBe(204);
        return object;
      },
    });
    await saveProfile(env, owner, newState("old"));
    const saving = saveProfile(deleting, owner, newState("new"));
    await expect(saving).rejects.toThrow(ProfileDeletedError);
    await expect(saving).rejects.toThrow("The profile has been deleted");
    expect(await contentKeys(owner.organizationId)).toEqual([]);
    await expect(load()).rejects.toMatchObject({ code: "not_found" });
  });

  it("cannot be saved or loaded by another organization", async () => {
    const otherOwner = { ...owner, organizationId: (await newClient()).organizationId };
    await expect(saveProfile(env, otherOwner, newState("theirs"))).rejects.toThrow(ProfileDeletedError);
    expect(await contentKeys(otherOwner.organizationId)).toEqual([]);
    expect(await load()).toBeUndefined();
    await saveProfile(env, owner, newState("own"));
    await expect(
      loadProfile(env, { organizationId: otherOwner.organizationId, projectId: "" }, owner.profileId),
    ).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("is decrypted with the previous key, and fails clearly without it", async () => {
    await saveProfile(env, owner, newState("secret"));
    const rotated = { ...env, ENCRYPTION_KEY: "another", ENCRYPTION_KEY_PREVIOUS: env.ENCRYPTION_KEY };
    expect(
      await loadProfile(rotated, { organizationId: owner.organizationId, projectId: "" }, owner.profileId),
    ).toEqual(newState("secret"));
    const without = { ...env, ENCRYPTION_KEY: "another" };
    await expect(
      loadProfile(without, { organizationId: owner.organizationId, projectId: "" }, owner.profileId),
    ).rejects.toMatchObject({
      code: "internal_error",
      shouldRetry: false,
      message: expect.stringContaining("ENCRYPTION_KEY"),
    });
  });

  it("fails clearly when it is another profile's or missing", async () => {
    await saveProfile(env, owner, newState("own"));
    const other = { ...owner, profileId: (await newProfile(client)).id };
    await saveProfile(env, other, newState("other"));
    const keys = await contentKeys(owner.organizationId);
    const ownKey = keys.find((key) => key.includes(owner.profileId)) ?? "";
    const otherKey = keys.find((key) => key.includes(other.profileId)) ?? "";
    const foreign = await (await env.FILES.get(otherKey))?.bytes();
    await env.FILES.put(ownKey, foreign ?? "");
    await expect(load()).rejects.toThrow("cannot be read");
    expect((await client.get(`/profiles/${owner.profileId}/download`)).error.message).toContain(
      "cannot be read",
    );
    await env.FILES.delete(ownKey);
    await expect(load()).rejects.toThrow("lost");
  });
});

describe("sweepProfiles", () => {
  it("removes a deleted profile once no session refers to it", async () => {
    const { organizationId, profileId } = owner;
    const session = await insertEndedRow({ organizationId, profileId });
    await client.delete(`/profiles/${profileId}`);
    await sweepProfiles(env, Date.now());
    expect(await readProfileRow(profileId)).toMatchObject({ name: "kept" });
    await env.DB.prepare("DELETE FROM browser_sessions WHERE id = ?").bind(session.id).run();
    await sweepProfiles(env, Date.now());
    expect(await readProfileRow(profileId)).toBeUndefined();
  });

  it("removes the profiles of a deleted organization, and no others", async () => {
    await saveProfile(env, owner, newState("gone"));
    const other = await newClient();
    const { id } = await newProfile(other);
    await saveProfile(env, { organizationId: other.organizationId, profileId: id }, newState("stays"));
    expect((await operator.delete(`/admin/organizations/${owner.organizationId}`)).status).toBe(204);
    await sweepProfiles(env, nextSearch());
    expect(await readProfileRow(owner.profileId)).toBeUndefined();
    expect(await contentKeys(owner.organizationId)).toEqual([]);
    expect(await loadProfile(env, { organizationId: other.organizationId, projectId: "" }, id)).toEqual(
      newState("stays"),
    );
  });

  it("removes contents without a profile, and nothing else in the bucket", async () => {
    const key = `profiles/${owner.organizationId}/${newIdentifier()}/${newIdentifier()}`;
    const others = [`extensions/${owner.organizationId}/x.zip`, "profiles/odd"];
    for (const each of [key, ...others]) await env.FILES.put(each, "content");
    await sweepProfiles(env, nextSearch());
    expect(await env.FILES.head(key)).toBeNull();
    for (const other of others) expect(await env.FILES.head(other)).not.toBeNull();
    await env.FILES.delete(others);
  });
});
