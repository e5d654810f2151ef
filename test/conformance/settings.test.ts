import Kernel from "@onkernel/sdk";
import { describe, expect, test } from "vitest";
import { openDownloadSite } from "./download-site.ts";
import { LiveViewSuite } from "./live-view-fixture.ts";
import { LiveViewPage } from "./live-view-page.ts";
import { FileClient, FileSession } from "./machine-file-session.ts";
import { useService } from "./use-service.ts";

const MAX_CONCURRENT_SESSIONS = 50;
const MAX_SESSION_MS = 40_000;
const LOG_TIMEOUT_MS = 30_000;

const service = await useService({
  settings: {
    MAX_CONCURRENT_SESSIONS: String(MAX_CONCURRENT_SESSIONS),
    MAX_SESSION_SECONDS: String(MAX_SESSION_MS / 1000),
    FILE_QUOTA_MEBIBYTES: "2",
    PROCESS_SECONDS: "2",
    LIVE_VIEW_FRAME_ANCESTORS: "'self'",
  },
});
const suite = await LiveViewSuite.use(service);

describe.concurrent("settings", () => {
  test("come from the environment", async ({ expect }) => {
    const limits = await suite.kernel.organization.limits.retrieve();
    expect(limits.max_concurrent_sessions).toBe(MAX_CONCURRENT_SESSIONS);
  });

  test("MAX_SESSION_SECONDS ends a session and notifies its viewers", async ({ expect }) => {
    const session = await suite.createSession();
    const view = await LiveViewPage.visit(suite.viewers, session.browser_live_view_url ?? "");
    await view.notice.getByText("The session has ended").waitFor({ timeout: 3 * MAX_SESSION_MS });
    const text = await view.page.locator("#notice-text").textContent();
    expect(text).toBe("It reached its maximum lifetime");
    await view.close();
  });

  test("LIVE_VIEW_FRAME_ANCESTORS stops other origins from embedding the live view", async ({ expect }) => {
    const session = await suite.createSession();
    const page = await suite.viewers.newPage();
    const refusal = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    const view = encodeURIComponent(session.browser_live_view_url ?? "");
    await page.goto(`${suite.site.origin}/embedding?view=${view}`);
    await refusal;
    const frame = page.frames().find((frame) => frame !== page.mainFrame());
    expect(await frame?.locator("#page").count()).toBe(0);
    await page.close();
  });

  test("PROCESS_SECONDS limits a process", async ({ expect }) => {
    const { session_id } = await suite.createSession({ headless: true });
    const sleeping = suite.kernel.browsers.process.exec(session_id, { command: "sleep", args: ["1e9"] });
    const error = await sleeping.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Kernel.APIError);
    expect(error).toMatchObject({ status: 500, message: expect.stringContaining("process timed out") });
  });
});

test("FILE_QUOTA_MEBIBYTES rejects a file and keeps the old one", async () => {
  await using session = await FileSession.open(suite.service, { headless: true });
  const path = "/tmp/file";
  await session.write(path, "old");
  await expect(session.write(path, Buffer.alloc(3 * 1024 * 1024))).rejects.toMatchObject({ status: 413 });
  expect(await session.readText(path)).toBe("old");
});

test("FILE_QUOTA_MEBIBYTES cancels a download", async () => {
  await using site = await openDownloadSite(Buffer.alloc(4 * 1024 * 1024));
  const full = await FileSession.open(suite.service);
  using client = await FileClient.open(full, `${site.origin}/`);
  await client.setDownloadBehavior("allow", "/tmp/downloads");
  await client.click("#large");
  expect(await client.waitForDownloadEnd()).toMatchObject({ state: "canceled" });
  await suite.service.log.waitForEvent(
    { event: "download_not_stored", session_id: full.id },
    { withinMs: LOG_TIMEOUT_MS },
  );
  await client.click("#report");
  expect(await client.waitForDownloadEnd()).toMatchObject({ state: "completed" });
  expect(await full.list("/tmp/downloads")).toEqual(["report.txt"]);
});
