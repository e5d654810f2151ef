import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { keepForFile } from "../outside/keep-for-file.ts";
import { openDownloadSite, REPORT } from "./download-site.ts";
import { eventually } from "./eventually.ts";
import { type LiveViewFixture, LiveViewSuite } from "./live-view-fixture.ts";

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

const handoffSchema = z.looseObject({ handoff_id: z.string(), live_view_url: z.string().nullable() });

const suite = await LiveViewSuite.use();
const site = keepForFile(await openDownloadSite(new Uint8Array()));

async function call(method: string, path: string, body?: object) {
  const response = await suite.service.send(method, `/browsers/${path}`, body);
  return handoffSchema.parse(await response.json());
}

const ask = (options: object) => async (session: LiveViewFixture["session"]) =>
  (await call("POST", `${session.session_id}/handoffs`, options)).live_view_url ?? "";

const wait = async ({ session }: LiveViewFixture) => {
  const response = await suite.service.send("GET", `/browsers/${session.session_id}/handoffs`);
  const [handoff] = handoffSchema.array().parse(await response.json());
  return call("GET", `${session.session_id}/handoffs/${handoff?.handoff_id}`);
};

describe.concurrent("a handoff", () => {
  test.for([
    ["on a laptop", {}],
    ["on a phone", PHONE],
    ["in kiosk mode", { session: { kiosk_mode: true } }],
  ] as const)("shows instructions as text and is done with a note, %s", async ([, options]) => {
    const address = ask({ instructions: "Log in,\n<b>then</b> press Done.", pause_agent: true });
    await using fixture = await suite.createFixture({ ...options, address });
    const { view, session, remote } = fixture;
    const banner = view.page.getByRole("region", { name: "Request" });
    expect(await banner.locator("#handoff-text").textContent()).toBe("Log in,\n<b>then</b> press Done.");
    await eventually(async () =>
      expect(await banner.locator("#handoff-driver").textContent()).toBe(
        "You are driving. The agent is waiting. 10 min left.",
      ),
    );
    const moved = suite.kernel.browsers.computer.clickMouse(session.session_id, { x: 140, y: 150 });
    const waiting = wait(fixture);
    expect(await remote.takeEvents()).toEqual([]);
    await banner.getByRole("textbox").fill("The code was 123");
    await banner.getByRole("button", { name: "Done" }).click();
    expect(await waiting).toMatchObject({ status: "done", note: "The code was 123" });
    await view.notice.getByText("Done, thank you.").waitFor();
    await moved;
    expect(await fixture.collectEventsUntil("click button button0 x1")).not.toEqual([]);
    expect(view.problems).toEqual([]);
  });

  test("is shown to watchers without a form", async () => {
    const address = async (session: LiveViewFixture["session"]) =>
      `${await ask({ instructions: "Log in" })(session)}&readOnly=true`;
    await using fixture = await suite.createFixture({ address });
    const banner = fixture.view.page.getByRole("region", { name: "Request" });
    await banner.getByText("A person and the agent are driving.").waitFor();
    expect(await banner.getByRole("button").count()).toBe(0);
  });
});

describe.concurrent("files", () => {
  test("of the viewer are given to a page that asks for some", async () => {
    await using fixture = await suite.createFixture();
    const { view, remote } = fixture;
    await remote.goTo(`${site.origin}/`);
    await eventually(async () => expect(await view.activeTitle()).toBe("Downloads"));
    await fixture.click("#files");
    const files = ["a.txt", 'b "2".txt'].map((name) => ({
      name,
      mimeType: "text/plain",
      buffer: Buffer.from(name),
    }));
    await view.dialog.locator("#dialog-file").setInputFiles(files);
    await eventually(async () =>
      expect(await remote.evaluate("[...files.files].map(({ name, size }) => name + size).join()")).toBe(
        "a.txt5,b _2_.txt9",
      ),
    );
    await view.dialog.waitFor({ state: "hidden" });
    await fixture.click("#files");
    await view.dialog.getByRole("button", { name: "Cancel" }).click();
    await view.dialog.waitFor({ state: "hidden" });
    expect(view.problems).toEqual([]);
  });

  test("that the browser has downloaded are offered to the viewer", async () => {
    await using fixture = await suite.createFixture();
    const { view, remote } = fixture;
    await remote.goTo(`${site.origin}/`);
    await eventually(async () => expect(await view.activeTitle()).toBe("Downloads"));
    await fixture.click("#report");
    const offer = view.toast.getByRole("link", { name: /^Download report/ });
    const [download] = await Promise.all([view.page.waitForEvent("download"), offer.click()]);
    expect(await readFile(await download.path(), "utf8")).toBe(REPORT);
    const url = new URL(download.url());
    const watching = await fetch(`${url.href}&readOnly=true`);
    expect(watching.status).toBe(403);
    url.search = "";
    expect((await fetch(url)).status).toBe(401);
  });

  test("of the session are listed for a page that asks for some", async () => {
    await using fixture = await suite.createFixture();
    const { view, remote, session } = fixture;
    for (const path of ["/home/kernel/.hidden", "/home/kernel/a.txt", "/home/kernel/reports/b.txt"]) {
      await suite.kernel.browsers.fs.writeFile(session.session_id, "text", { path });
    }
    await remote.goTo(`${site.origin}/`);
    await eventually(async () => expect(await view.activeTitle()).toBe("Downloads"));
    await fixture.click("#files");
    const list = view.dialog.getByLabel("From the session’s files");
    await list.selectOption(["reports/b.txt", "a.txt"]);
    expect((await list.locator("option").allTextContents()).toSorted()).toEqual(["a.txt", "reports/b.txt"]);
    await view.dialog.getByRole("button", { name: "Open" }).click();
    await eventually(async () =>
      expect(await remote.evaluate("[...files.files].map(({ name }) => name).sort().join()")).toBe(
        "a.txt,b.txt",
      ),
    );
    const url = new URL(session.browser_live_view_url ?? "");
    url.pathname += "/files";
    expect(await (await fetch(url)).json()).toHaveLength(2);
    expect((await fetch(url, { method: "PUT", body: "nameless" })).status).toBe(400);
    expect((await fetch(`${url.href}&readOnly=true`)).status).toBe(403);
    url.search = "";
    expect((await fetch(url)).status).toBe(401);
    expect(view.problems).toEqual([]);
  });

  test("are offered one above the other", async () => {
    await using fixture = await suite.createFixture();
    const { view, remote } = fixture;
    await remote.goTo(`${site.origin}/`);
    await eventually(async () => expect(await view.activeTitle()).toBe("Downloads"));
    for (const id of ["#report", "#renamed", "#data"]) await fixture.click(id);
    await eventually(async () => expect(await view.toast.getByRole("link").count()).toBe(3));
    const boxes = await Promise.all(
      (await view.toast.getByRole("link").all()).map((link) => link.boundingBox()),
    );
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(3);
  });

  test("above the limit are refused", async () => {
    const session = await suite.createSession();
    const url = new URL(session.browser_live_view_url ?? "");
    url.pathname += "/files/large.bin";
    const response = await fetch(url, { method: "PUT", body: new Uint8Array(50 * 1024 * 1024 + 1) });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("52428800")]);
    await suite.kernel.browsers.deleteByID(session.session_id);
  });
});

describe.concurrent("the page", () => {
  test("shows the session's name", async () => {
    await using fixture = await suite.createFixture({ session: { name: `shop-${crypto.randomUUID()}` } });
    await fixture.view.page.getByText(fixture.session.name ?? "", { exact: true }).waitFor();
  });

  test("zooms with two fingers, which the remote page does not see", async () => {
    await using fixture = await suite.createFixture(PHONE);
    const { page } = fixture.view;
    await fixture.view.toast.getByText("pinch to zoom").waitFor();
    const client = await page.context().newCDPSession(page);
    const { x, y } = await fixture.at("#button");
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...at: number[]) =>
      client.send("Input.dispatchTouchEvent", { type, touchPoints: at.map((x, id) => ({ x, y, id })) });
    const zoom = () =>
      page.evaluate(() => {
        const { scale = 1, offsetLeft = 0, offsetTop = 0 } = window.visualViewport ?? {};
        return { scale, offsetLeft, offsetTop };
      });
    await touch("touchStart", x);
    await touch("touchStart", x, x + 30);
    // Browsers ignore fingers that stay close to each other.
    for (let moved = 30; moved <= 210; moved += 30) await touch("touchMove", x, x + moved);
    await touch("touchEnd");
    await eventually(async () => expect((await zoom()).scale).toBeGreaterThan(1.3));
    expect(await fixture.remote.takeEvents()).not.toContain("click button button0 x1");
    const { offsetLeft, offsetTop } = await zoom();
    const touchPoints = [{ x: x - offsetLeft, y: y - offsetTop }];
    await client.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints });
    await touch("touchEnd");
    await fixture.collectEventsUntil("click button button0 x1");
  });
});
