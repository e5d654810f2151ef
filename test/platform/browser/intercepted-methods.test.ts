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

const harmless: Record<string, string> = {
  "the name only in parameters":
    '{"id":1,"method":"Runtime.evaluate","params":{"expression":"\'Browser.close\'"}}',
  "the name as another key": '{"id":1,"method":"Page.enable","Browser.close":true}',
  "a method in parameters": '{"id":1,"method":"Page.enable","params":{"method":"Browser.close"}}',
  "a command in an array": '[{"id":1,"method":"Browser.close"}]',
  "a longer method name": '{"id":1,"method":"Browser.closeTab"}',
  "another case": '{"id":1,"method":"browser.close Browser.close"}',
  "a prefix inside a name": '{"id":1,"method":"X.Cloudflare.getSessionId"}',
  "an escape in parameters": String.raw`{"id":1,"method":"Page.enable","params":{"a":"\u0041"}}`,
  "a method that is not a string": '{"id":1,"method":["Browser.close"]}',
  "a composition that replaces text":
    '{"id":1,"method":"Input.imeSetComposition","params":{"text":"a","replacementStart":0,"replacementEnd":1}}',
  "a gesture": '{"id":1,"method":"Input.synthesizeTapGesture","params":{"x":1,"y":1}}',
  "a drag of text":
    '{"id":1,"method":"Input.dispatchDragEvent","params":{"type":"drop","data":{"items":[],"files":[]}}}',
  "a drag of an element": '{"id":1,"method":"Input.dispatchDragEvent","params":{"data":{"items":[]}}}',
  "a URL that may be opened": '{"id":1,"method":"Target.createTarget","params":{"url":"about:blank"}}',
  "a page of the browser only in another URL":
    '{"id":1,"method":"Page.navigate","params":{"url":"https://a.test/?chrome://inspect"}}',
  "the name of a script":
    '{"id":1,"method":"Debugger.setBreakpointByUrl","params":{"url":"webpack://a/b.ts"}}',
  "a URL that is not text": '{"id":1,"method":"Page.navigate","params":{"url":["chrome://inspect"]}}',
  "a window of the largest size":
    '{"id":1,"method":"Browser.setWindowBounds","params":{"windowId":1,"bounds":{"left":-9,"width":10000}}}',
  "a state of a window":
    '{"id":1,"method":"Browser.setWindowBounds","params":{"bounds":{"windowState":"normal"}}}',
  "a large clip":
    '{"id":1,"method":"Page.captureScreenshot","params":{"clip":{"x":0,"y":0,"width":20000,"height":20000,"scale":1}}}',
  "a command about targets": '{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T"}}',
};

const command = (method: string, params: object) => JSON.stringify({ id: 1, method, params });

const intercepted: [string, string, object][] = [
  ...["width", "height", "left", "top"].map((name): [string, string, object] => [
    `a window that is too large: ${name}`,
    command("Browser.setWindowBounds", { windowId: 1, bounds: { width: 100, height: 100, [name]: 1e9 } }),
    REFUSED,
  ]),
  ["a window that is too far", command("Browser.setWindowBounds", { bounds: { left: -(2 ** 31) } }), REFUSED],
  ["contents that are too large", command("Browser.setContentsSize", { windowId: 1, width: 1e6 }), REFUSED],
  ...["x", "width", "scale"].map((name): [string, string, object] => [
    `a clip that is too large: ${name}`,
    command("Page.captureScreenshot", { clip: { x: 0, y: 0, width: 1, height: 1, scale: 1, [name]: 1e7 } }),
    REFUSED,
  ]),
  ["Browser.close", '{"id":1,"method":"Browser.close"}', CLOSE_CLIENT],
  ["Browser.crash", '{"id":1,"method":"Browser.crash"}', REFUSED],
  ["Browser.crashGpuProcess", '{"id":1,"method":"Browser.crashGpuProcess"}', REFUSED],
  ["Storage.deleteStorageBucket", '{"id":1,"method":"Storage.deleteStorageBucket"}', REFUSED],
  ["Browser.executeBrowserCommand", '{"id":1,"method":"Browser.executeBrowserCommand"}', REFUSED],
  [
    "a composition that replaces text before the start",
    '{"id":1,"method":"Input.imeSetComposition","params":{"text":"a","replacementStart":-1,"replacementEnd":0}}',
    REFUSED,
  ],
  ["Cloudflare.getSessionId", '{"id":1,"method":"Cloudflare.getSessionId"}', REFUSED],
  ["Cloudflare.anything", '{"id":1,"method":"Cloudflare.anything"}', REFUSED],
  ["Target.openDevTools", '{"id":1,"method":"Target.openDevTools","params":{"targetId":"T"}}', REFUSED],
  [
    "Target.setRemoteLocations",
    '{"id":1,"method":"Target.setRemoteLocations","params":{"locations":[]}}',
    REFUSED,
  ],
  [
    "Target.sendMessageToTarget",
    '{"id":1,"method":"Target.sendMessageToTarget","params":{"message":"{}"}}',
    REFUSED,
  ],
  ["an unknown command about targets", '{"id":1,"method":"Target.somethingNew"}', REFUSED],
  [
    "Extensions.loadUnpacked",
    '{"id":1,"method":"Extensions.loadUnpacked","params":{"path":"/etc"}}',
    REFUSED,
  ],
  [
    "PWA.launchFilesInApp",
    '{"id":1,"method":"PWA.launchFilesInApp","params":{"manifestId":"https://a.test/","files":["/etc/passwd"]}}',
    REFUSED,
  ],
  ["PWA.install", '{"id":1,"method":"PWA.install","params":{"manifestId":"https://a.test/"}}', REFUSED],
  ["a page of the browser", '{"id":1,"method":"Page.navigate","params":{"url":"chrome://inspect"}}', REFUSED],
  [
    "a page of the browser in a frame",
    '{"id":1,"sessionId":"S","method":"Page.navigate","params":{"url":"chrome://inspect","frameId":"F"}}',
    REFUSED,
  ],
  [
    "a new page of the browser",
    '{"id":1,"method":"Target.createTarget","params":{"url":"chrome://inspect"}}',
    REFUSED,
  ],
  [
    "an escaped URL",
    String.raw`{"id":1,"method":"Page.navigate","params":{"url":"\u0063hrome://inspect"}}`,
    REFUSED,
  ],
  [
    "an escaped key",
    String.raw`{"id":1,"method":"Page.navigate","params":{"\u0075rl":"chrome://x"}}`,
    REFUSED,
  ],
  [
    "a URL with a tab",
    String.raw`{"id":1,"method":"Page.navigate","params":{"url":"ch\trome://x"}}`,
    REFUSED,
  ],
  ["a URL of any command", '{"id":1,"method":"Any.thing","params":{"url":"chrome://inspect"}}', REFUSED],
  ["Target.exposeDevToolsProtocol", '{"id":1,"method":"Target.exposeDevToolsProtocol"}', REFUSED],
  ["Tethering.bind", '{"id":1,"method":"Tethering.bind"}', REFUSED],
  ["Browser.setDownloadBehavior", '{"id":1,"method":"Browser.setDownloadBehavior"}', SERVED],
  ["Page.setDownloadBehavior", '{"id":1,"method":"Page.setDownloadBehavior"}', SERVED],
  ["DOM.setFileInputFiles", '{"id":1,"method":"DOM.setFileInputFiles"}', SERVED],
  ["Target.createBrowserContext", '{"id":1,"method":"Target.createBrowserContext"}', SERVED],
  ["Target.disposeBrowserContext", '{"id":1,"method":"Target.disposeBrowserContext"}', SERVED],
  ["Target.getBrowserContexts", '{"id":1,"method":"Target.getBrowserContexts"}', SERVED],
  [
    "a drag of files",
    '{"id":1,"method":"Input.dispatchDragEvent","params":{"data":{"files":["/etc/passwd"]}}}',
    SERVED,
  ],
  [
    "a drag with a string of files",
    '{"id":1,"method":"Input.dispatchDragEvent","params":{"data":{"files":"/etc/passwd"}}}',
    SERVED,
  ],
  ["an escaped name of a served command", String.raw`{"id":1,"method":"DOM.\u0073etFileInputFiles"}`, SERVED],
  ["a method in invalid JSON", '{"id":1,"method":"Browser.close",}', REFUSED],
  ["an escape in invalid JSON", String.raw`{"id":1,/**/"method":"\u0042rowser.close"}`, REFUSED],
  ["an escaped name", String.raw`{"id":1,"method":"\u0042rowser.close"}`, CLOSE_CLIENT],
  ["a fully escaped key", String.raw`{"id":1,"\u006dethod":"Browser.\u0063lose"}`, CLOSE_CLIENT],
  ["the last of two methods", '{"id":1,"method":"Page.enable","method":"Browser.close"}', CLOSE_CLIENT],
  ["a command in a session", '{"id":1,"sessionId":"S","method":"Browser.close"}', CLOSE_CLIENT],
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

  it.each(intercepted)("intercepts %s", (_, frame, interception) => {
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
