import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { SessionBody } from "../../../src/features/sessions/session-schema.ts";
import { openControlConnection } from "../../../src/platform/browser/connection/control-connection.ts";
import type { Connection } from "../../../src/platform/browser/connection/puppeteer.ts";
import { type Client, fetchFromWorker, newClient, openSocket, upgrade } from "../../api.ts";
import { DevTools } from "../../devtools.ts";
import { readRecord } from "../../objects.ts";
import { createProxy } from "../proxies/proxies.ts";

/** Chrome's PDF viewer, which may open every page in every tab. */
const PDF_VIEWER = "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html";
const INSPECT = "chrome://inspect/";
const FORBIDDEN = /inside (?!chrome-error)(chrome|devtools|file)[-a-z]*:[^"]*/g;
const ALL_TYPES = [{}];

const attachedSchema = z.object({
  method: z.literal("Target.attachedToTarget"),
  params: z.object({ sessionId: z.string() }),
});
const infoSchema = z.looseObject({ targetId: z.string(), type: z.string(), url: z.string() });
const targetsSchema = z.object({ targetInfos: z.array(infoSchema) });
const createdSchema = z.object({ targetId: z.string() });
const sessionSchema = z.object({ sessionId: z.string() });
const treeSchema = z.object({
  frameTree: z.object({ childFrames: z.array(z.object({ frame: z.object({ id: z.string() }) })) }),
});

let client: Client;
let session: SessionBody;
/** Sees and does what a client may not. */
let chrome: Connection;
let tools: DevTools;
let page: { targetId: string; sessionId: string };

async function begin(options: object) {
  session = await client.createSession({ timeout_seconds: 600, ...options });
  const browserId = (await readRecord(session.session_id))?.browserId ?? "";
  chrome = await openControlConnection(env.BROWSER, browserId);
}

async function end() {
  chrome.dispose();
  await client.delete(`/browsers/${session.session_id}`);
}

async function openPage(): Promise<typeof page> {
  const { targetId } = createdSchema.parse(
    (await tools.send("Target.createTarget", { url: "about:blank" })).result,
  );
  const attached = await tools.send("Target.attachToTarget", { targetId, flatten: true });
  return { targetId, sessionId: sessionSchema.parse(attached.result).sessionId };
}

const onPage = (method: string, params: object = {}) => tools.send(method, params, page.sessionId);
const evaluate = (expression: string) =>
  onPage("Runtime.evaluate", { expression, awaitPromise: true, userGesture: true, returnByValue: true });
const navigate = (url: string) => onPage("Page.navigate", { url });

async function targetsOf(connection: Connection) {
  return (await connection.send("Target.getTargets", { filter: ALL_TYPES })).targetInfos;
}

/** Runs code in all targets that the client can reach. @returns the forbidden pages that it ran in. */
async function reach(): Promise<string[]> {
  const targets = await targetsOf(chrome);
  await Promise.all(
    targets.map(({ targetId }) => tools.send("Target.attachToTarget", { targetId, flatten: true })),
  );
  const sessions = tools.heard.frames.flatMap((frame) => {
    const event = attachedSchema.safeParse(JSON.parse(String(frame)));
    return event.success ? [event.data.params.sessionId] : [];
  });
  const answers = tools.heard.frames.flatMap((frame) => /"sessionId":"(\w+)"/.exec(String(frame))?.[1] ?? []);
  const run = { expression: "'inside ' + location.href", returnByValue: true };
  await Promise.all(
    [...new Set([...sessions, ...answers])].map((id) =>
      Promise.race([
        tools.send("Runtime.evaluate", run, id),
        // A worker that waits for a debugger never answers.
        new Promise((resolve) => setTimeout(resolve, 2000)),
      ]),
    ),
  );
  return tools.heard.frames.join("\n").match(FORBIDDEN) ?? [];
}

const WAYS: [string, () => Promise<unknown>][] = [
  ...[
    INSPECT,
    "chrome://version",
    "chrome:inspect",
    " CHROME://inspect",
    "ch\trome://inspect",
    "about:inspect",
    "view-source:chrome://inspect",
    "view-source: view-source:chrome://inspect",
    "devtools://devtools/bundled/inspector.html",
    "chrome-untrusted://print/",
    "file:///etc/hostname",
    "view-source:file:///etc/hostname",
    PDF_VIEWER,
  ].flatMap((url): [string, () => Promise<unknown>][] => [
    [`Page.navigate to ${JSON.stringify(url)}`, () => navigate(url)],
    [`Target.createTarget of ${JSON.stringify(url)}`, () => tools.send("Target.createTarget", { url })],
  ]),
  [
    "Page.navigate in a frame",
    async () => {
      await navigate("data:text/html,<iframe src='about:blank'></iframe>");
      const findFrame = async () => {
        const tree = treeSchema.safeParse((await onPage("Page.getFrameTree")).result);
        return tree.data?.frameTree.childFrames[0]?.frame.id;
      };
      const frameId = await vi.waitUntil(findFrame, { timeout: 30_000 });
      return onPage("Page.navigate", { url: INSPECT, frameId });
    },
  ],
  [
    "window.open",
    () => evaluate(`open("${INSPECT}"); open("devtools://devtools/bundled/inspector.html"); 0`),
  ],
  ["location", () => evaluate(`location = "${INSPECT}"; 0`)],
  ["a frame's address", () => evaluate(`document.body.innerHTML = "<iframe src='${INSPECT}'>"; 0`)],
  ["a link", () => evaluate(`document.body.innerHTML = "<a href='${INSPECT}'>x"; document.links[0].click()`)],
  ["a refresh", () => navigate(`data:text/html,<meta http-equiv=refresh content="0;url=${INSPECT}">`)],
  [
    "a redirect",
    async () => {
      await onPage("Fetch.enable", { patterns: [{ urlPattern: "http://redirect.test/*" }] });
      const navigated = navigate("http://redirect.test/");
      const paused = () =>
        /"requestPaused".*?"requestId":"([^"]+)"/s.exec(
          tools.heard.frames.join("\n").replaceAll("Fetch.", ""),
        )?.[1];
      await expect.poll(paused).toBeDefined();
      const responseHeaders = [{ name: "location", value: INSPECT }];
      await onPage("Fetch.fulfillRequest", { requestId: paused(), responseCode: 302, responseHeaders });
      return navigated;
    },
  ],
  [
    "the history",
    async () => {
      await navigate(INSPECT);
      await navigate("about:blank#next");
      return evaluate("history.back()");
    },
  ],
  ["Target.openDevTools", () => tools.send("Target.openDevTools", { targetId: page.targetId })],
  [
    "automatic attachment",
    () =>
      tools.send("Target.setAutoAttach", {
        autoAttach: true,
        waitForDebuggerOnStart: true,
        flatten: true,
        filter: ALL_TYPES,
      }),
  ],
  [
    "a session of the browser",
    async () => {
      const { sessionId } = sessionSchema.parse((await tools.send("Target.attachToBrowserTarget")).result);
      const attach = ({ targetId }: { targetId: string }) =>
        tools.send("Target.attachToTarget", { targetId, flatten: true }, sessionId);
      return Promise.all((await targetsOf(chrome)).map(attach));
    },
  ],
  [
    "wrapped commands",
    async () => {
      const run = { expression: "'inside ' + location.href", returnByValue: true };
      const message = JSON.stringify({ id: 1, method: "Runtime.evaluate", params: run });
      for (const { targetId } of await targetsOf(chrome)) {
        const { result } = await tools.send("Target.attachToTarget", { targetId });
        await tools.send("Target.sendMessageToTarget", { sessionId: result?.sessionId, message });
      }
    },
  ],
];

describe.each<[string, () => Promise<object>]>([
  ["a session", async () => ({})],
  [
    "a session with a proxy",
    async () => {
      const config = { host: "127.0.0.1", port: 9 };
      return { proxy_id: (await createProxy(client, { type: "custom", protocol: "http", config })).id };
    },
  ],
])("the browser's own pages in %s", (_, options) => {
  beforeAll(async () => {
    env.ALLOW_PRIVATE_ADDRESSES = "true";
    client = await newClient();
    await begin(await options());
  });
  afterAll(async () => {
    await end();
    // Other files share the settings.
    env.ALLOW_PRIVATE_ADDRESSES = "false";
  });

  beforeEach(async () => {
    tools = await DevTools.connect(session.cdp_ws_url);
    page = await openPage();
    await onPage("Runtime.enable");
    await onPage("Page.enable");
    const source = `console.log("inside " + location.href)`;
    await onPage("Page.addScriptToEvaluateOnNewDocument", { source });
  });

  afterEach(async () => {
    const pages = (await targetsOf(chrome)).filter(
      ({ type, url }) => type === "page" && !url.startsWith("chrome:"),
    );
    await Promise.all(pages.map(({ targetId }) => chrome.send("Target.closeTarget", { targetId })));
    // Frames that arrive later would be logged as errors.
    await tools.send("Browser.getVersion");
    tools.close();
  });

  it.each(WAYS)("are out of reach by %s", async (_name, open) => {
    await open();
    expect(await reach()).toEqual([]);
  });

  it("are out of reach if something else opens them", async () => {
    await tools.send("Target.setDiscoverTargets", { discover: true, filter: ALL_TYPES });
    const browserContextId = (await readRecord(session.session_id))?.mainContext?.id;
    const { targetId } = await chrome.send("Target.createTarget", { url: INSPECT, browserContextId });
    expect(await reach()).toEqual([]);
    await expect
      .poll(async () => (await targetsOf(chrome)).map((info) => info.targetId))
      .not.toContain(targetId);
    expect(tools.heard.frames.join("\n")).not.toContain(INSPECT);
  });

  it("take a page from its client that something else opens them in", async () => {
    const { sessionId } = await chrome.send("Target.attachToTarget", {
      targetId: page.targetId,
      flatten: true,
    });
    const opened = chrome.session(sessionId)?.send("Page.navigate", { url: INSPECT });
    await opened?.catch(() => undefined);
    await expect.poll(async () => JSON.stringify(await targetsOf(chrome))).not.toContain(page.targetId);
    const { error } = await evaluate("location.href");
    expect(error?.message).toMatch(/session/i);
  });

  it("are neither listed nor connected to one by one", async () => {
    // Chrome has such pages in some versions only; test/features/sessions/faults.test.ts has one in any.
    const listed = targetsSchema.parse((await tools.send("Target.getTargets", { filter: ALL_TYPES })).result);
    const url = session.cdp_ws_url.replace(/^ws/, "http").replace("?", "/json/list?");
    const documents = await (await fetchFromWorker(url, {})).text();
    expect(JSON.stringify(listed) + documents).not.toMatch(/"(chrome|devtools)[-a-z]*:/);
    const own = (await targetsOf(chrome)).filter(({ url }) => url.startsWith("chrome:"));
    for (const { targetId } of own) {
      const response = await upgrade(session.cdp_ws_url.replace("?", `/devtools/page/${targetId}?`));
      expect(response.status).toBe(404);
      const { error } = await tools.send("Target.getTargetInfo", { targetId });
      expect(error).toBeDefined();
    }
  });

  it("are refused by WebDriver", async () => {
    const socket = await openSocket(session.webdriver_ws_url);
    const send = async (id: number, method: string, params: object) => {
      const answered = new Promise<string>((resolve) => {
        socket.addEventListener("message", ({ data }) => {
          if (new RegExp(`"id":${id}[,}]`).test(String(data))) resolve(String(data));
        });
      });
      socket.send(JSON.stringify({ id, method, params }));
      return answered;
    };
    await send(1, "session.new", { capabilities: {} });
    const context = /"context":"(\w+)"/.exec(await send(2, "browsingContext.create", { type: "tab" }))?.[1];
    const url = INSPECT;
    expect(await send(3, "browsingContext.navigate", { context, url, wait: "complete" })).toContain(
      '"error"',
    );
    const target = { context };
    const run = { expression: "'inside ' + location.href", target, awaitPromise: false };
    expect(await send(4, "script.evaluate", run)).toContain("inside about:blank");
    socket.close();
  });
});
