import { beforeEach, describe, expect, it } from "vitest";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { VIEWPORTS } from "../../../src/platform/browser/tabs/viewport.ts";
import { type Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { readRecord, restart } from "../../objects.ts";
import { readSessionRow } from "../../records.ts";
import { ViewerPage } from "../live-view/viewers.ts";

const browsers = useFakeBrowsers();

let client: Client;
let id: string;
let url: string;
let sentBefore: number;

beforeEach(async () => {
  client = await newClient();
  const session = await client.createSession({ name: "before", tags: { a: "b" }, timeout_seconds: 3600 });
  id = session.session_id;
  url = session.browser_live_view_url ?? "";
  sentBefore = browsers.commands.length;
});

const SMALL = { width: 1024, height: 768 };
const resize = (viewport: object, rest: object = {}) =>
  client.patch(`/browsers/${id}`, { viewport, ...rest });

/** Window sizes sent to the browser. */
const sizes = () =>
  browsers.commands
    .slice(sentBefore)
    .filter(({ method }) => method === "Browser.setContentsSize")
    .map(({ params: { width, height } }) => ({ width, height }));

/** The width in the index and in the session's object. */
async function widths(): Promise<(number | undefined)[]> {
  return [(await readSessionRow(id))?.viewportWidth, (await readRecord(id))?.viewport.width];
}

describe("PATCH /browsers/{id_or_name} with a viewport", () => {
  it.each(VIEWPORTS)(
    "resizes to $width x $height, in the browser, the object and the index",
    async ({ width, height, refreshRate }) => {
      const viewport = { width, height, refresh_rate: refreshRate };
      expect((await resize({ width, height })).read(sessionSchema).viewport).toEqual(viewport);
      expect(sizes()).toEqual([{ width, height }]);
      expect(await readSessionRow(id)).toMatchObject({
        viewportWidth: width,
        viewportHeight: height,
        viewportRefreshRate: refreshRate,
        name: "before",
        tags: { a: "b" },
      });
      expect((await readRecord(id))?.viewport).toEqual({ width, height, refreshRate });
      expect((await client.get(`/browsers/${id}`)).read(sessionSchema).viewport).toEqual(viewport);
      expect((await resize(viewport)).status).toBe(200);
    },
  );

  it("resizes a headless session", async () => {
    const session = await client.createSession({ headless: true });
    const response = await client.patch(`/browsers/${session.session_id}`, { viewport: SMALL });
    expect(response.read(sessionSchema)).toMatchObject({ viewport: SMALL, headless: true });
  });

  it("also changes name and tags, and accepts a name in the path", async () => {
    const response = await client.patch("/browsers/before", { viewport: SMALL, name: "after", tags: {} });
    expect(response.read(sessionSchema)).toMatchObject({ viewport: SMALL, name: "after", tags: {} });
  });

  it("limits coordinates to the new size", async () => {
    const click = () => client.post(`/browsers/${id}/computer/click_mouse`, { x: 1024, y: 1 });
    expect((await click()).status).toBe(200);
    await resize(SMALL);
    expect((await click()).invalidFields).toEqual(["x"]);
    await restart(id);
    expect((await click()).invalidFields).toEqual(["x"]);
  });

  it("returns 409 and changes nothing while there are viewers", async () => {
    for (const query of ["", "&readOnly=true"]) {
      const viewer = await ViewerPage.open(url, query);
      await viewer.waitFor("welcome");
      for (const force of [undefined, false]) {
        const response = await resize({ ...SMALL, force }, { name: "after", tags: {} });
        expect(response.status).toBe(409);
        expect(response.headers.get("x-should-retry")).toBe("false");
        expect(response.error).toMatchObject({
          code: "conflict",
          message: expect.stringContaining("viewport"),
        });
      }
      viewer.close();
      await viewer.closed;
    }
    expect(sizes()).toEqual([]);
    expect(await widths()).toEqual([1920, 1920]);
    expect(await readSessionRow(id)).toMatchObject({ name: "before", tags: { a: "b" } });
  });

  it("allows a new name while there are viewers", async () => {
    const viewer = await ViewerPage.open(url);
    await viewer.waitFor("welcome");
    expect((await client.patch(`/browsers/${id}`, { name: "after" })).status).toBe(200);
    viewer.close();
  });

  it("resizes with force and notifies viewers", async () => {
    const viewer = await ViewerPage.open(url);
    await viewer.waitFor("welcome");
    expect((await resize({ ...SMALL, force: true })).status).toBe(200);
    expect(await viewer.waitFor("viewport")).toEqual({ type: "viewport", ...SMALL });
    expect(await widths()).toEqual([1024, 1024]);
    viewer.close();
  });

  it("resizes after the last viewer disconnects", async () => {
    const viewer = await ViewerPage.open(url);
    await viewer.waitFor("welcome");
    viewer.close();
    await viewer.closed;
    await expect.poll(async () => (await resize(SMALL)).status).toBe(200);
  });

  it("changes nothing when the name is taken", async () => {
    await client.createSession({ name: "taken" });
    sentBefore = browsers.commands.length;
    expect((await resize(SMALL, { name: "taken" })).status).toBe(409);
    expect(sizes()).toEqual([]);
    expect(await widths()).toEqual([1920, 1920]);
  });

  it("changes nothing when the browser fails, and can be retried", async () => {
    browsers.failingMethods.add("Browser.setContentsSize");
    const response = await resize(SMALL, { name: "after" });
    expect(response.status).toBe(503);
    expect(response.error.code).toBe("service_unavailable");
    expect(await widths()).toEqual([1920, 1920]);
    expect(await readSessionRow(id)).toMatchObject({ name: "before" });
    browsers.failingMethods.clear();
    expect((await resize(SMALL)).status).toBe(200);
    expect(await widths()).toEqual([1024, 1024]);
  });

  it("returns 404 for an ended session and for another organization", async () => {
    const otherClient = await newClient();
    expect((await otherClient.patch(`/browsers/${id}`, { viewport: { ...SMALL, force: true } })).status).toBe(
      404,
    );
    await client.delete(`/browsers/${id}`);
    expect((await resize(SMALL)).status).toBe(404);
    expect(sizes()).toEqual([]);
  });
});
