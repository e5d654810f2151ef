import { describe, expect, it } from "vitest";
import { inspectCommand } from "../../../src/platform/browser/relay/intercepted-methods.ts";

const CLOSE_CLIENT = { action: "close-client" };
const REFUSED = { action: "refuse", message: expect.any(String) };
const SERVED = { action: "serve", command: expect.anything() };

const plain: Record<string, string> = {
  "a command": '{"id":1,"method":"Page.navigate","params":{"url":"https://example.com"}}',
  "unusual white space and order": '{ "params" : {}, "method":"Page.enable","id": 7 }',
  "an event": '{"method":"Page.loadEventFired"}',
  "an array": "[1,2,3]",
  "invalid JSON": "not json at all",
  "an empty frame": "",
  "16 MiB": `{"id":1,"method":"Runtime.evaluate","params":{"expression":"${"x".repeat(16 * 1024 * 1024)}"}}`,
};

const command = (method: string, params?: object) => JSON.stringify({ id: 1, method, params });

const harmless: Record<string, string> = {
  "the name only in parameters": command("Runtime.evaluate", { expression: "'Browser.close'" }),
  "the name as another key": '{"id":1,"method":"Page.enable","Browser.close":true}',
  "a method in parameters": command("Page.enable", { method: "Browser.close" }),
  "a command in an array": '[{"id":1,"method":"Browser.close"}]',
  "a longer method name": command("Browser.closeTab"),
  "another case": command("browser.close Browser.close"),
  "a prefix inside a name": command("X.Cloudflare.getSessionId"),
  "an escape in parameters": String.raw`{"id":1,"method":"Page.enable","params":{"a":"\u0041"}}`,
  "a method that is not a string": '{"id":1,"method":["Browser.close"]}',
  "a composition that replaces text": command("Input.imeSetComposition", {
    text: "a",
    replacementStart: 0,
    replacementEnd: 1,
  }),
  "a gesture": command("Input.synthesizeTapGesture", { x: 1, y: 1 }),
  "a drag of text": command("Input.dispatchDragEvent", { type: "drop", data: { items: [], files: [] } }),
  "a drag of an element": command("Input.dispatchDragEvent", { data: { items: [] } }),
  "a URL that may be opened": command("Target.createTarget", { url: "about:blank" }),
  "a page of the browser only in another URL": command("Page.navigate", {
    url: "https://a.test/?chrome://inspect",
  }),
  "the name of a script": command("Debugger.setBreakpointByUrl", { url: "webpack://a/b.ts" }),
  "a URL that is not text": command("Page.navigate", { url: ["chrome://inspect"] }),
  "a window of the largest size": command("Browser.setWindowBounds", {
    windowId: 1,
    bounds: { left: -9, width: 10000 },
  }),
  "a state of a window": command("Browser.setWindowBounds", { bounds: { windowState: "normal" } }),
  "a large clip": command("Page.captureScreenshot", {
    clip: { x: 0, y: 0, width: 20000, height: 20000, scale: 1 },
  }),
  "a command about targets": command("Target.attachToTarget", { targetId: "T" }),
};

const BOUNDS = { width: 100, height: 100 };
const CLIP = { x: 0, y: 0, width: 1, height: 1, scale: 1 };
const PAGE_OF_BROWSER = { url: "chrome://inspect" };

const named = (method: string, params?: object): [string, string] => [method, command(method, params)];

const refused: [string, string][] = [
  ...["width", "height", "left", "top"].map((name): [string, string] => [
    `a window that is too large: ${name}`,
    command("Browser.setWindowBounds", { windowId: 1, bounds: { ...BOUNDS, [name]: 1e9 } }),
  ]),
  ["a window that is too far", command("Browser.setWindowBounds", { bounds: { left: -(2 ** 31) } })],
  ["contents that are too large", command("Browser.setContentsSize", { windowId: 1, width: 1e6 })],
  ...["x", "width", "scale"].map((name): [string, string] => [
    `a clip that is too large: ${name}`,
    command("Page.captureScreenshot", { clip: { ...CLIP, [name]: 1e7 } }),
  ]),
  named("Browser.crash"),
  named("Browser.crashGpuProcess"),
  named("Storage.deleteStorageBucket"),
  named("Browser.executeBrowserCommand"),
  [
    "a composition that replaces text before the start",
    command("Input.imeSetComposition", { text: "a", replacementStart: -1, replacementEnd: 0 }),
  ],
  named("Cloudflare.getSessionId"),
  named("Cloudflare.anything"),
  named("Target.openDevTools", { targetId: "T" }),
  named("Target.setRemoteLocations", { locations: [] }),
  named("Target.sendMessageToTarget", { message: "{}" }),
  ["an unknown command about targets", command("Target.somethingNew")],
  named("Extensions.loadUnpacked", { path: "/etc" }),
  named("PWA.launchFilesInApp", { manifestId: "https://a.test/", files: ["/etc/passwd"] }),
  named("PWA.install", { manifestId: "https://a.test/" }),
  ["a page of the browser", command("Page.navigate", PAGE_OF_BROWSER)],
  [
    "a page of the browser in a frame",
    '{"id":1,"sessionId":"S","method":"Page.navigate","params":{"url":"chrome://inspect","frameId":"F"}}',
  ],
  ["a new page of the browser", command("Target.createTarget", PAGE_OF_BROWSER)],
  ["an escaped URL", String.raw`{"id":1,"method":"Page.navigate","params":{"url":"\u0063hrome://inspect"}}`],
  ["an escaped key", String.raw`{"id":1,"method":"Page.navigate","params":{"\u0075rl":"chrome://x"}}`],
  ["a URL with a tab", String.raw`{"id":1,"method":"Page.navigate","params":{"url":"ch\trome://x"}}`],
  ["a URL of any command", command("Any.thing", PAGE_OF_BROWSER)],
  named("Target.exposeDevToolsProtocol"),
  named("Tethering.bind"),
  ["a method in invalid JSON", '{"id":1,"method":"Browser.close",}'],
  ["an escape in invalid JSON", String.raw`{"id":1,/**/"method":"\u0042rowser.close"}`],
];

const served: [string, string][] = [
  named("Browser.setDownloadBehavior"),
  named("Page.setDownloadBehavior"),
  named("DOM.setFileInputFiles"),
  named("Target.createBrowserContext"),
  named("Target.disposeBrowserContext"),
  named("Target.getBrowserContexts"),
  ["a drag of files", command("Input.dispatchDragEvent", { data: { files: ["/etc/passwd"] } })],
  ["a drag with a string of files", command("Input.dispatchDragEvent", { data: { files: "/etc/passwd" } })],
  ["an escaped name of a served command", String.raw`{"id":1,"method":"DOM.\u0073etFileInputFiles"}`],
];

const closing: [string, string][] = [
  named("Browser.close"),
  ["an escaped name", String.raw`{"id":1,"method":"\u0042rowser.close"}`],
  ["a fully escaped key", String.raw`{"id":1,"\u006dethod":"Browser.\u0063lose"}`],
  ["the last of two methods", '{"id":1,"method":"Page.enable","method":"Browser.close"}'],
  ["a command in a session", '{"id":1,"sessionId":"S","method":"Browser.close"}'],
];

describe("inspectCommand", () => {
  it.each(Object.entries(plain))("passes unchanged: %s", (_, frame) => {
    expect(inspectCommand(frame)).toEqual({ frame });
  });

  it.each(Object.entries(harmless))("passes with the same meaning: %s", (_, frame) => {
    const inspected = inspectCommand(frame);
    expect(inspected).not.toHaveProperty("interception");
    expect("frame" in inspected && JSON.parse(inspected.frame)).toEqual(JSON.parse(frame));
  });

  it.each([
    ...refused.map(([name, frame]) => [name, frame, REFUSED] as const),
    ...served.map(([name, frame]) => [name, frame, SERVED] as const),
    ...closing.map(([name, frame]) => [name, frame, CLOSE_CLIENT] as const),
  ])("intercepts %s", (_, frame, interception) => {
    expect(inspectCommand(frame)).toMatchObject({ interception });
  });

  it.each([
    [{}, { maxPostDataSize: 4_194_304 }],
    [{ maxPostDataSize: 1e9 }, { maxPostDataSize: 4_194_304 }],
    [
      { maxPostDataSize: 0, x: 1 },
      { maxPostDataSize: 0, x: 1 },
    ],
    [{ maxPostDataSize: "1" }, { maxPostDataSize: "1" }],
  ])("limits the bodies in events: %j", (params, sent) => {
    const inspected = inspectCommand(command("Network.enable", params));
    expect("frame" in inspected && JSON.parse(inspected.frame)).toMatchObject({ params: sent });
  });

  it("limits the bodies in events of a command without parameters", () => {
    expect(inspectCommand('{"id":1,"method":"Network.enable"}')).toEqual({
      frame: '{"id":1,"method":"Network.enable","params":{"maxPostDataSize":4194304}}',
    });
  });

  it("returns a served command as it was parsed", () => {
    const frame =
      '{"id":1,"sessionId":"S","method":"Page.enable","params":{"files":[]},"method":"DOM.setFileInputFiles"}';
    expect(inspectCommand(frame)).toEqual({
      interception: {
        action: "serve",
        command: { method: "DOM.setFileInputFiles", params: { files: [] }, sessionId: "S" },
      },
      id: 1,
      sessionId: "S",
    });
  });

  it("passes a duplicate key as it was parsed", () => {
    const inspected = inspectCommand('{"id":1,"method":"Browser.close","method":"Page.enable"}');
    expect(inspected).toEqual({ frame: '{"id":1,"method":"Page.enable"}' });
  });

  it("returns the id and the session for the response", () => {
    expect(inspectCommand('{"id":42,"sessionId":"S","method":"Browser.close"}')).toMatchObject({
      id: 42,
      sessionId: "S",
    });
    expect(inspectCommand('{"id":"42","sessionId":1,"method":"Browser.close"}')).toEqual({
      interception: CLOSE_CLIENT,
      id: undefined,
      sessionId: undefined,
    });
  });
});

describe("inspectCommand with a main context", () => {
  const placement = {
    context: { id: "main", defaultId: "default" },
    isPrivate: (id: string) => id.startsWith("private"),
    isOfBrowser: (sessionId: string | undefined) => sessionId === undefined || sessionId === "B",
  };
  const inspect = (command: object) => {
    const inspected = inspectCommand(JSON.stringify(command), placement);
    return "frame" in inspected ? JSON.parse(inspected.frame) : inspected.interception;
  };

  it.each([
    "Target.createTarget",
    "Browser.grantPermissions",
    "Browser.resetPermissions",
    "Browser.setPermission",
    "Browser.cancelDownload",
    "Storage.getCookies",
    "Storage.setCookies",
    "Storage.clearCookies",
  ])("sends %s to the main context unless it names another", (method) => {
    expect(inspect({ id: 1, method })).toEqual({ id: 1, method, params: { browserContextId: "main" } });
    for (const browserContextId of ["default", "private 1"]) {
      expect(inspect({ id: 1, method, params: { x: 1, browserContextId } })).toEqual({
        id: 1,
        method,
        params: { x: 1, browserContextId: "main" },
      });
    }
    const named = { id: 1, method, params: { browserContextId: "own" } };
    expect(inspect(named)).toEqual(named);
    const frame = JSON.stringify({ id: 1, method });
    expect(inspectCommand(frame)).toEqual({ frame });
  });

  it("leaves cookie commands, but no new pages, to the context of a page's session", () => {
    const cookies = { id: 1, method: "Storage.getCookies", sessionId: "P" };
    expect(inspect(cookies)).toEqual(cookies);
    expect(inspect({ ...cookies, sessionId: "B" })).toMatchObject({ params: { browserContextId: "main" } });
    expect(inspect({ id: 1, method: "Target.createTarget", sessionId: "P" })).toMatchObject({
      params: { browserContextId: "main" },
    });
  });

  it.each([
    ["Tracing.start", { traceConfig: { includedCategories: ["disabled-by-default-netlog"] } }],
    ["Tracing.start", { perfettoConfig: "" }],
    ["Tracing.start", {}],
    ["Extensions.getExtensions", {}],
  ])("refuses %s", (method, params) => {
    expect(inspect({ id: 1, method, params })).toMatchObject({ action: "refuse" });
    expect(inspectCommand(JSON.stringify({ id: 1, method, params }))).toHaveProperty("frame");
  });
});
