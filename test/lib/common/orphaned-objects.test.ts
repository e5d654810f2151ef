import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { DEPLOYMENTS_PREFIX } from "../../../src/features/apps/deployments/files.ts";
import { sweepDeployments } from "../../../src/features/apps/deployments/sweep.ts";
import { sweepInvocations } from "../../../src/features/apps/invocations/sweep.ts";
import { storeValue, VALUES_PREFIX } from "../../../src/features/apps/invocations/value-storage.ts";
import { ZIPS_PREFIX } from "../../../src/features/extensions/extension-files.ts";
import { sweepExtensions } from "../../../src/features/extensions/sweep.ts";
import { CONTENT_PREFIX, contentKey } from "../../../src/features/profiles/profile-content.ts";
import { sweepProfiles } from "../../../src/features/profiles/sweep.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { removeOrphanedObjects } from "../../../src/lib/common/orphaned-objects.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { profiles } from "../../../src/lib/database/schema/profiles.ts";
import { useNewClient } from "../../api.ts";
import { deployApp } from "../../features/apps/deployed-app.ts";
import { insertInvocationRow } from "../../features/apps/invocations/invocations.ts";
import { uploadExtension } from "../../features/extensions/extensions.ts";
import { newProfile } from "../../features/profiles/profiles.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PREFIXES = [DEPLOYMENTS_PREFIX, VALUES_PREFIX, ZIPS_PREFIX, CONTENT_PREFIX];
const LARGE = JSON.stringify("x".repeat(100_000));

const client = useNewClient();

async function listKeys(prefix: string): Promise<string[]> {
  return (await env.FILES.list({ prefix })).objects.map(({ key }) => key);
}

async function putProfile(organizationId: string, id: string): Promise<void> {
  const contentId = newIdentifier();
  await env.FILES.put(contentKey(organizationId, id, contentId), "x");
  await openDatabase(env.DB).update(profiles).set({ contentId }).where(eq(profiles.id, id));
}

const minuteOf = (time: number) => new Date(time).getUTCMinutes();

/** Sweeps in each minute of the hour that ends at a time. */
async function sweepForAnHour(sweep: (env: Env, now: number) => Promise<void>, end: number) {
  for (let minute = 59; minute >= 0; minute -= 1) await sweep(env, end - minute * MINUTE);
}

/** A bucket that lists few objects at once, and counts the lists. */
function smallPages(limit: number) {
  const counts = { lists: 0 };
  const files = new Proxy(env.FILES, {
    get: (target, name) => {
      if (name !== "list") return Reflect.get(target, name).bind(target);
      return (options: R2ListOptions) => {
        counts.lists += 1;
        return target.list({ limit, ...options });
      };
    },
  });
  return { counts, files };
}

describe("removeOrphanedObjects", () => {
  const prefix = "orphaned-objects-test/";
  const remove = (now: number, known: string[], { files = env.FILES, minute = minuteOf(now) } = {}) =>
    removeOrphanedObjects(files, {
      prefix,
      minute,
      ownerOf: (key) => /\/owner-(.)$/.exec(key)?.[1],
      findKnown: async (owners) => new Set(owners.filter((owner) => known.includes(owner))),
      now,
    });

  it("removes only orphaned objects older than an hour", async () => {
    const elsewhere = "orphaned-objects-test-2/owner-b";
    const [known, orphan, other] = [`${prefix}owner-a`, `${prefix}owner-b`, `${prefix}something`];
    for (const key of [known, orphan, other, elsewhere]) await env.FILES.put(key, "x");

    await remove(Date.now() + HOUR - 60_000, ["a"]);
    expect(await listKeys(prefix)).toEqual([known, orphan, other]);

    await remove(Date.now() + HOUR + 1000, ["a"]);
    expect(await listKeys(prefix)).toEqual([known, other]);
    expect(await listKeys(elsewhere)).toEqual([elsewhere]);
  });

  it("lists nothing in the other minutes of an hour, and one page when that is all", async () => {
    const { counts, files } = smallPages(1000);
    for (let minute = 0; minute < 60; minute += 1) {
      await remove(HOUR + minute * MINUTE, [], { files, minute: 17 });
      expect(counts.lists).toBe(minute < 17 ? 0 : 1);
    }
  });

  it("goes once around a prefix of several pages", async () => {
    const { counts, files } = smallPages(10);
    const keys = Array.from({ length: 45 }, () => `${prefix}${newIdentifier()}/${newIdentifier()}/owner-b`);
    for (const key of keys) await env.FILES.put(key, "");
    await remove(Date.now() + HOUR - MINUTE, [], { files });
    // The first page, a random place, and at most six pages around it.
    expect(counts.lists).toBeLessThanOrEqual(8);
    await remove(Date.now() + 2 * HOUR, [], { files });
    expect(await listKeys(prefix)).not.toEqual(expect.arrayContaining([expect.stringMatching(/owner-b$/)]));
  });

  it("finds every orphan of a large organization over several runs", async () => {
    const paths = [..."0123456789abcdefghijklmnopqrstuvwxyz"].flatMap((first) =>
      Array.from({ length: 20 }, (_, number) => `${prefix}organization/${first}${number}/owner-`),
    );
    const orphans = [paths[0], paths[paths.length / 2], paths.at(-1)].map((path) => `${path}b`);
    for (const path of paths) await env.FILES.put(`${path}a`, "");
    for (const orphan of orphans) await env.FILES.put(orphan, "");
    // 37 pages, which is more than one search lists.
    const { files } = smallPages(20);
    const remainingOrphans = async () => {
      await remove(Date.now() + HOUR + 1000, ["a"], { files });
      const found = await Promise.all(orphans.map((orphan) => env.FILES.head(orphan)));
      return found.filter((object) => object !== null);
    };
    await expect.poll(remainingOrphans, { timeout: 60_000 }).toEqual([]);
    await env.FILES.delete(paths.map((path) => `${path}a`));
  });
});

describe("scheduled cleanup", () => {
  it.each([
    ["a deployment", DEPLOYMENTS_PREFIX, "/source.zip", sweepDeployments],
    ["an invocation", VALUES_PREFIX, "/payload.json", sweepInvocations],
    ["a profile", CONTENT_PREFIX, `/${newIdentifier()}`, sweepProfiles],
    ["an extension", ZIPS_PREFIX, ".zip", sweepExtensions],
  ] as const)("removes the object of an aborted request for %s", async (_, prefix, rest, sweep) => {
    const { organizationId } = client;
    const orphan = `${prefix}${organizationId}/${newIdentifier()}${rest}`;
    await env.FILES.put(orphan, "x");

    await sweepForAnHour(sweep, Date.now());
    expect(await listKeys(`${prefix}${organizationId}/`)).toEqual([orphan]);

    await sweepForAnHour(sweep, Date.now() + 2 * HOUR + MINUTE);
    expect(await listKeys(`${prefix}${organizationId}/`)).toEqual([]);
  });

  it("keeps referenced objects", async () => {
    const { organizationId } = client;
    const { deploymentId } = await deployApp(client, { run: "return 1;" });
    const { id } = await insertInvocationRow({
      organizationId,
      deploymentId,
      payloadInFiles: true,
      status: "succeeded",
      finishedAt: Date.now(),
    });
    await storeValue(env, { organizationId, invocationId: id, kind: "payload" }, LARGE);
    await uploadExtension(client);
    await putProfile(organizationId, (await newProfile(client)).id);
    const keys = () => Promise.all(PREFIXES.map((prefix) => listKeys(`${prefix}${organizationId}/`)));
    const before = await keys();
    expect(before.map((found) => found.length)).toEqual([2, 1, 1, 1]);

    for (const sweep of [sweepDeployments, sweepInvocations, sweepExtensions, sweepProfiles])
      await sweepForAnHour(sweep, Date.now() + 2 * HOUR);

    expect(await keys()).toEqual(before);
  });
});
