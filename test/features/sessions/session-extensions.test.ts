import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { zipKey } from "../../../src/features/extensions/extension-files.ts";
import { SessionExtensions } from "../../../src/features/sessions/connections/extensions.ts";
import { type SessionRecord, SessionStorage } from "../../../src/features/sessions/record.ts";
import { DEFAULT_CONFIG } from "../../../src/features/telemetry/index.ts";
import { DEFAULT_VIEWPORT } from "../../../src/platform/browser/tabs/viewport.ts";
import { runInSession } from "../../objects.ts";
import { extensionZip } from "../extensions/extensions.ts";

const RECORD: SessionRecord = {
  projectId: "",
  id: "s",
  organizationId: "organization-of-loaded-extensions",
  invocationId: null,
  timeoutMs: 1000,
  viewport: DEFAULT_VIEWPORT,
  startURL: null,
  headless: false,
  stealth: false,
  kiosk: false,
  extensionIds: ["x"],
  proxyId: null,
  profile: null,
  urlGeneration: 0,
  telemetry: DEFAULT_CONFIG,
  isRecorded: false,
  region: null,
  weight: 1,
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
