import { ConflictError, NotFoundError } from "@onkernel/sdk";
import { expect, test } from "vitest";
import { openProxiedSite } from "../conformance/proxied-site.ts";
import { SharedService } from "../conformance/shared-service.ts";
import { expectedStorage, readInSession, storeInSession } from "../conformance/site-storage.ts";
import { keepForFile } from "../outside/keep-for-file.ts";

const site = keepForFile(await openProxiedSite());
const service = await SharedService.use();
const kernel = service.kernel();

const storeInProfile = (profile: { id: string; save_changes?: boolean }, value: string) =>
  storeInSession(kernel, site.origin, { profile }, value);

const readFromProfile = ({ id }: { id: string }) => readInSession(kernel, site.origin, { profile: { id } });

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
