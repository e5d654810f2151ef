import { ConflictError, NotFoundError } from "@onkernel/sdk";
import type { InvocationListParams, InvocationListResponse } from "@onkernel/sdk/resources/invocations";
import { chromium } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { keepForFile } from "../outside/keep-for-file.ts";
import {
  type DeployedApp,
  deployApp,
  followToEnd,
  invoke,
  invokeAsync,
  logLines,
  SOURCE_LINE_OFFSET,
  statesOf,
  waitForLogLine,
} from "./apps.ts";
import { isBrowserRunning } from "./browser-process.ts";
import { SharedService } from "./shared-service.ts";
import { openSite } from "./site.ts";

let app: DeployedApp;

const SOURCE = `
interface Greeting { name: string }

app.action<Greeting, string>("greet", async (context: KernelContext, payload?: Greeting): Promise<string> => {
  console.log("greeting", payload?.name);
  return \`Hello, \${payload?.name} from \${process.env.PLACE}\`;
});

app.action("visit", async (context: KernelContext, payload?: { url: string }) => {
  const session = await kernel.browsers.create({ invocation_id: context.invocation_id });
  const browser = await chromium.connectOverCDP(session.cdp_ws_url);
  const page = browser.contexts()[0]!.pages()[0]!;
  await page.goto(payload!.url);
  await page.click("#count");
  await page.click("#count");
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  return {
    title: await page.title(),
    count: await page.textContent("#count"),
    session: session.session_id,
    pid: processInfo.find(({ type }) => type === "browser")!.id,
  };
});

app.action("stay", async (context: KernelContext) => {
  const session = await kernel.browsers.create({ timeout_seconds: 600 });
  console.log(session.session_id);
  await new Promise(() => setInterval(() => {}, 1000));
});

app.action("fail", async (context: KernelContext) => {
  throw new RangeError("too far");
});
`;

const service = await SharedService.use();
const site = keepForFile(await openSite());

beforeAll(async () => {
  app = await deployApp(service.kernel(), SOURCE, {
    head: 'import { chromium } from "playwright-core";',
    envVars: { PLACE: "Berth" },
  });
});

describe("an SDK app's invocation", () => {
  test("returns the result of its action", async () => {
    const kernel = service.kernel();
    const created = await invoke(kernel, app, "greet", { payload: { name: "Ada" } });
    expect(created).toEqual({
      id: expect.any(String),
      action_name: "greet",
      status: "succeeded",
      output: '"Hello, Ada from Berth"',
    });
    const read = await kernel.invocations.retrieve(created.id);
    expect(read).toMatchObject({ app_name: app.name, version: "latest", payload: '{"name":"Ada"}' });
    const listed = await Array.fromAsync(kernel.invocations.list({ app_name: app.name, since: "5m" }));
    expect(listed).toContainEqual(read);
  });

  test("drives a browser with Playwright, which ends with the invocation", async () => {
    const kernel = service.kernel();
    const created = await invoke(kernel, app, "visit", { payload: { url: site.origin } });
    expect(created.status, created.status_reason).toBe("succeeded");
    const { title, count, session, pid } = JSON.parse(created.output ?? "");
    expect([title, count]).toEqual(["Home", "2"]);
    const ended = () => kernel.browsers.retrieve(session, { include_deleted: true });
    await expect.poll(ended).toMatchObject({ end_reason: "invocation_ended" });
    await expect.poll(() => isBrowserRunning(pid)).toBe(false);
  });

  test("is followed to its end when asynchronous", async () => {
    const kernel = service.kernel();
    const id = await invokeAsync(kernel, app, "greet", { payload: { name: "Bo" }, timeout: 10 });
    const events = await followToEnd(kernel, id);
    expect(statesOf(events)).toEqual(["queued", "running", "succeeded"]);
    expect(logLines(events)).toEqual(["greeting Bo"]);
    expect(await followToEnd(kernel, id)).toEqual(events);
  });

  test("is cancelled with its browsers", async () => {
    const kernel = service.kernel();
    const id = await invokeAsync(kernel, app, "stay", { timeout: 3600 });
    await expect.poll(async () => (await kernel.invocations.listBrowsers(id)).browsers).toHaveLength(1);
    const { browsers } = await kernel.invocations.listBrowsers(id);
    const sessionId = browsers[0]?.session_id ?? "";
    await waitForLogLine(kernel, id, sessionId);
    const browser = await chromium.connectOverCDP(browsers[0]?.cdp_ws_url ?? "");
    const disconnected = new Promise((resolve) => browser.once("disconnected", resolve));
    const cancelled = await kernel.invocations.update(id, { status: "failed" });
    expect(cancelled).toMatchObject({ id, status: "failed", status_reason: "Cancelled by a call" });
    await disconnected;
    expect((await kernel.invocations.listBrowsers(id)).browsers).toEqual([]);
    await expect(kernel.browsers.retrieve(sessionId)).rejects.toThrow(NotFoundError);
    await expect(kernel.invocations.update(id, { status: "failed" })).rejects.toThrow(ConflictError);
    expect(statesOf(await followToEnd(kernel, id))).toEqual(["queued", "running", "failed"]);
  });

  test("keeps running when its browsers are deleted", async () => {
    const kernel = service.kernel();
    const id = await invokeAsync(kernel, app, "stay");
    await expect.poll(async () => (await kernel.invocations.listBrowsers(id)).browsers).toHaveLength(1);
    await kernel.invocations.deleteBrowsers(id);
    expect((await kernel.invocations.listBrowsers(id)).browsers).toEqual([]);
    expect(await kernel.invocations.retrieve(id)).toMatchObject({ status: "running" });
    const settled = await kernel.invocations.update(id, { status: "succeeded", output: '"enough"' });
    expect(settled).toMatchObject({ status: "succeeded", output: '"enough"' });
  });

  test("reports the reason and source position when it fails", async () => {
    const kernel = service.kernel();
    const created = await invoke(kernel, app, "fail");
    expect(created).toMatchObject({ status: "failed", status_reason: "RangeError: too far" });
    const line = SOURCE_LINE_OFFSET + SOURCE.split("\n").findIndex((text) => text.includes("too far"));
    const [stack] = logLines(await followToEnd(kernel, created.id));
    expect(stack).toContain(`index.ts:${line}:`);
  });

  test("is found by every filter across pages", async () => {
    const kernel = service.kernel();
    const before = new Date().toISOString();
    const large = { text: "\u00e4".repeat(2_000_000) };
    const greeted = await invoke(kernel, app, "greet", { payload: { name: "Cy" } });
    const failed = await invoke(kernel, app, "fail", { payload: large });
    const list = (query: InvocationListParams) =>
      Array.fromAsync(kernel.invocations.list({ limit: 2, ...query }), ({ id }) => id);
    const all = await Array.fromAsync(kernel.invocations.list({ limit: 100 }));
    const ids = (predicate: (invocation: InvocationListResponse) => boolean) =>
      all.filter(predicate).map(({ id }) => id);

    expect(all.slice(0, 2).map(({ id }) => id)).toEqual([failed.id, greeted.id]);
    expect(JSON.parse(all[0]?.payload ?? "")).toEqual(large);
    const allIds = ids(() => true);
    const filters: [InvocationListParams, string[]][] = [
      [{}, allIds],
      [{ app_name: app.name }, allIds],
      [{ app_name: "another" }, []],
      [{ version: "latest" }, allIds],
      [{ version: "another" }, []],
      [{ action_name: "greet" }, ids(({ action_name }) => action_name === "greet")],
      [{ deployment_id: app.deploymentId }, allIds],
      [{ deployment_id: "another" }, []],
      [{ status: "failed" }, ids(({ status }) => status === "failed")],
      [{ status: "queued" }, []],
      [{ since: "1h30m" }, allIds],
      [{ since: "1ms" }, []],
      [{ since: before }, [failed.id, greeted.id]],
      [{ query: "GREE" }, ids(({ action_name }) => action_name === "greet")],
      [{ query: greeted.id }, [greeted.id]],
      [{ app_name: app.name, action_name: "fail", status: "failed", since: before }, [failed.id]],
    ];
    for (const [query, expected] of filters) {
      expect(await list(query), JSON.stringify(query)).toEqual(expected);
    }
    await expect(list({ since: "yesterday" })).rejects.toThrow(/since: .*RFC 3339.*5m, 1h30m/);
  });

  test("fails when its deployment is stopped", async () => {
    const kernel = service.kernel();
    const stopped = await deployApp(kernel, SOURCE, { head: 'import { chromium } from "playwright-core";' });
    const id = await invokeAsync(kernel, stopped, "stay");
    await expect.poll(async () => (await kernel.invocations.listBrowsers(id)).browsers).toHaveLength(1);
    await kernel.deployments.delete(stopped.deploymentId);
    expect(await kernel.invocations.retrieve(id)).toMatchObject({
      status: "failed",
      status_reason: expect.stringContaining("stopped"),
    });
    await expect.poll(async () => (await kernel.invocations.listBrowsers(id)).browsers).toEqual([]);
    await expect(invoke(kernel, stopped, "greet")).rejects.toThrow(/app_name/);
  });
});
