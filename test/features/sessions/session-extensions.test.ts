import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { zipKey } from "../../../src/features/extensions/extension-files.ts";
import { SessionExtensions } from "../../../src/features/sessions/connections/extensions.ts";
import type { SessionRecord } from "../../../src/features/sessions/record.ts";
import { toSessionStart } from "../../../src/features/sessions/row.ts";
import { SessionState } from "../../../src/features/sessions/state.ts";
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

function withState(
  work: (state: SessionState, loadedOf: (record: SessionRecord) => LoadedExtensions) => Promise<void>,
) {
  return runInSession(crypto.randomUUID(), async (storage) => {
    const state = new SessionState({ storage, waitUntil: () => undefined }, env);
    await work(state, async (record) => {
      const extensions = await new SessionExtensions(state).load(record);
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
    withState(async (state, loadedOf) => {
      state.write(RECORD);
      expect((await loadedOf(RECORD)).read()).toBeUndefined();
      (await loadedOf(RECORD)).write(["x"]);
      expect((await loadedOf(RECORD)).read()).toEqual(["x"]);
      expect((await loadedOf({ ...RECORD, phase: "active" })).read()).toEqual(["x"]);
    }));

  it("are undefined for a replacement browser", () =>
    withState(async (state, loadedOf) => {
      state.write(RECORD);
      (await loadedOf(RECORD)).write(["x"]);
      expect((await loadedOf({ ...RECORD, browserId: "second" })).read()).toBeUndefined();
    }));

  it("are none for a session started by a version that did not record them", () =>
    withState(async (_, loadedOf) => {
      expect((await loadedOf({ ...RECORD, phase: "active" })).read()).toEqual([]);
    }));

  it("are not stored without a session", () =>
    withState(async (state, loadedOf) => {
      (await loadedOf(RECORD)).write(["x"]);
      expect(state.storage.readLoadedExtensions()).toBeUndefined();
    }));
});
