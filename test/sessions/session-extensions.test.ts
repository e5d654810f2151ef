import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_VIEWPORT } from "../../src/browser/tabs/viewport.ts";
import { zipKey } from "../../src/extensions/extension-files.ts";
import { SessionExtensions } from "../../src/sessions/connections/extensions.ts";
import { type SessionRecord, SessionStorage } from "../../src/sessions/record.ts";
import { extensionZip } from "../extensions/extensions.ts";
import { inside } from "../objects.ts";

const RECORD: SessionRecord = {
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
  phase: "starting",
  browserId: "first",
};

/** What is noted for a session, in an object of its own. */
function withNotes(
  work: (storage: SessionStorage, notesOf: (record: SessionRecord) => Notes) => Promise<void>,
) {
  return inside(crypto.randomUUID(), async (durable) => {
    const storage = new SessionStorage(durable);
    await work(storage, async (record) => {
      const extensions = await new SessionExtensions(env.FILES, storage).load(record);
      if (extensions === undefined) throw new Error("The session has no extensions");
      return extensions.loaded;
    });
  });
}

type Notes = Promise<NonNullable<Awaited<ReturnType<SessionExtensions["load"]>>>["loaded"]>;

describe("what is noted of extensions that a browser has loaded", () => {
  beforeAll(async () => {
    await env.FILES.put(zipKey(RECORD.organizationId, "x"), extensionZip());
  });

  it("is nothing until a starting session's browser was given them, and stays from then on", () =>
    withNotes(async (storage, notesOf) => {
      storage.writeRecord(RECORD);
      expect((await notesOf(RECORD)).read()).toBeUndefined();
      (await notesOf(RECORD)).write(["x"]);
      expect((await notesOf(RECORD)).read()).toEqual(["x"]);
      expect((await notesOf({ ...RECORD, phase: "active" })).read()).toEqual(["x"]);
    }));

  it("is of one browser: the one that is launched in its place has loaded none", () =>
    withNotes(async (storage, notesOf) => {
      storage.writeRecord(RECORD);
      (await notesOf(RECORD)).write(["x"]);
      expect((await notesOf({ ...RECORD, browserId: "second" })).read()).toBeUndefined();
    }));

  it("is that none are, where a session was started by a version that did not load them", () =>
    withNotes(async (_, notesOf) => {
      expect((await notesOf({ ...RECORD, phase: "active" })).read()).toEqual([]);
    }));

  it("is not kept beyond the session", () =>
    withNotes(async (storage, notesOf) => {
      (await notesOf(RECORD)).write(["x"]);
      expect(storage.readLoadedExtensions()).toBeUndefined();
    }));
});
