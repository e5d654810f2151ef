import { ConflictError, NotFoundError } from "@onkernel/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SharedService } from "./shared-service.ts";

let service: SharedService;

beforeAll(async () => {
  service = await SharedService.use();
});
afterAll(() => service.end());

test("the SDK's profiles", async () => {
  const kernel = service.kernel();
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
