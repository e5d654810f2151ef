import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { zipKey } from "../../../src/features/extensions/extension-files.ts";
import { SessionExtensions } from "../../../src/features/sessions/connections/extensions.ts";
import { type SessionRecord, SessionStorage } from "../../../src/features/sessions/record.ts";
import { toSessionStart } from "../../../src/features/sessions/row.ts";
import { runInSession } from "../../objects.ts";
import { sessionRow } from "../../records.ts";
import { extensionZip } from "../extensions/extensions.ts";

const RECORD: SessionRecord = {
  ...toSessionStart(
    sessionRow({ id: "s", organizationId: "organization-of-loaded-extensions", extensionIds: ["x"] }),
  ),
  phase: "starting",
  browserId: "first",
};

function withStorage(
  work: (storage: SessionStorage, loadedOf: (record: SessionRecord) => LoadedExtensions) => Promise<void>,
) {
  return runInSession(crypto.randomUUID(), async (durable) => {
    const storage = new SessionStorage(durable);
    await work(storage, async (record) => {
      const extensions = await new SessionExtensions(storage).load(record);
      if (extensions === undefined) throw new Error("The session has no extensions");
      return extensions.loaded;
    });
  });
}

type LoadedExtensions = Promise<NonNullable<Awaited<ReturnType<SessionExtensions["load"]>>>["loaded"]>;

describe("loaded extensions", () => {
  beforeAll(async () => {
    await env.FILES.put(zipKey(RECORD.organizationId, "x"), extensionZip());
  });

  it("are undefined until a starting browser loads them, then stay", () =>
    withStorage(async (storage, loadedOf) => {
      storage.writeRecord(RECORD);
      expect((await loadedOf(RECORD)).read()).toBeUndefined();
      (await loadedOf(RECORD)).write(["x"]);
      expect((await loadedOf(RECORD)).read()).toEqual(["x"]);
      expect((await loadedOf({ ...RECORD, phase: "active" })).read()).toEqual(["x"]);
    }));

  it("are undefined for a replacement browser", () =>
    withStorage(async (storage, loadedOf) => {
      storage.writeRecord(RECORD);
      (await loadedOf(RECORD)).write(["x"]);
      expect((await loadedOf({ ...RECORD, browserId: "second" })).read()).toBeUndefined();
    }));

  it("are none for a session started by a version that did not record them", () =>
    withStorage(async (_, loadedOf) => {
      expect((await loadedOf({ ...RECORD, phase: "active" })).read()).toEqual([]);
    }));

  it("are not stored without a session", () =>
    withStorage(async (storage, loadedOf) => {
      (await loadedOf(RECORD)).write(["x"]);
      expect(storage.readLoadedExtensions()).toBeUndefined();
    }));
});
