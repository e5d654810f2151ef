import type Kernel from "@onkernel/sdk";
import { ConflictError, NotFoundError } from "@onkernel/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectPage } from "../conformance/connect-page.ts";
import { openProxiedSite, type ProxiedSite } from "../conformance/proxied-site.ts";
import { SharedService } from "../conformance/shared-service.ts";
import { expectedStorage, readStorage, writeStorage } from "../conformance/site-storage.ts";

let service: SharedService;
let kernel: Kernel;
let site: ProxiedSite;

beforeAll(async () => {
  [service, site] = await Promise.all([SharedService.use(), openProxiedSite()]);
  kernel = service.kernel();
});
afterAll(async () => {
  await service.end();
  await site[Symbol.asyncDispose]();
});

/** Stores a value on the site in a new session, and ends the session. */
async function storeInProfile(
  profile: { id: string; save_changes?: boolean },
  value: string,
): Promise<string> {
  const session = await kernel.browsers.create({ timeout_seconds: 300, profile });
  const { browser, page } = await connectPage(session);
  await page.goto(`${site.origin}/visit`);
  await writeStorage(page, value);
  await browser.close();
  await kernel.browsers.deleteByID(session.session_id);
  return session.session_id;
}

/** Reads the stored value in a new session. */
async function readFromProfile({ id }: { id: string }) {
  const session = await kernel.browsers.create({ timeout_seconds: 300, profile: { id } });
  const { browser, page } = await connectPage(session);
  await page.goto(`${site.origin}/find`);
  const found = await page.evaluate(readStorage).catch(() => undefined);
  await browser.close();
  await kernel.browsers.deleteByID(session.session_id);
  return found;
}

const endedSession = (id: string) => kernel.browsers.retrieve(id, { include_deleted: true });

test("profiles are created, listed, renamed, downloaded and deleted", async () => {
  const unnamed = await kernel.profiles.create({});
  const profile = await kernel.profiles.create({ name: "sdk" });
  expect(profile).toMatchObject({ id: expect.any(String), name: "sdk", created_at: expect.any(String) });
  await expect(kernel.profiles.create({ name: "sdk" })).rejects.toThrow(ConflictError);
  expect(await kernel.profiles.retrieve("sdk")).toEqual(profile);

  expect(await kernel.profiles.update(profile.id, { name: "renamed" })).toMatchObject({ name: "renamed" });
  const listed = [];
  for await (const { id } of kernel.profiles.list({ limit: 1 })) listed.push(id);
  expect(listed.sort()).toEqual([profile.id, unnamed.id].sort());

  const nothing = await kernel.profiles.download("renamed", { format: "tar" });
  expect([nothing.status, await nothing.text()]).toEqual([202, ""]);

  await kernel.profiles.delete("renamed");
  await expect(kernel.profiles.retrieve(profile.id)).rejects.toThrow(NotFoundError);
  await expect(kernel.profiles.delete(profile.id)).rejects.toThrow(NotFoundError);
});

test("a profile loads what sessions with save_changes stored", async () => {
  const profile = await kernel.profiles.create({ name: "kept" });
  const id = await storeInProfile({ id: profile.id, save_changes: true }, "1");
  expect(await endedSession(id)).toMatchObject({ profile: { id: profile.id, name: "kept" } });
  expect(await endedSession(id)).toHaveProperty("end_details", expect.not.stringContaining("profile"));
  expect(await readFromProfile(profile)).toEqual(expectedStorage("1"));
  await storeInProfile({ id: profile.id }, "2");
  expect(await readFromProfile(profile)).toEqual(expectedStorage("1"));
  const saved = await kernel.profiles.retrieve("kept");
  expect(saved.last_used_at).not.toBeNull();
  expect(await kernel.profiles.download(profile.id).then((answer) => answer.status)).toBe(200);
});
