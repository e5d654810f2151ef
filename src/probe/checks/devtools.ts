import { openDevToolsSocket } from "../../browser/index.ts";
import { isRecord } from "../../common/is-record.ts";
import { type Check, differs, type Finding, holds } from "../check.ts";
import type { ProbeContext } from "../context.ts";
import { type Answer, RawConnection } from "../raw-connection.ts";

/** Berth works without them: it emulates windows, runs content scripts itself, and guesses the profile's folder. */
const OPTIONAL = new Set([
  "Browser.getBrowserCommandLine",
  "Browser.getWindowBounds",
  "Browser.getWindowForTarget",
  "Browser.setContentsSize",
  "Browser.setWindowBounds",
  "Emulation.getScreenInfos",
  "Emulation.updateScreen",
  "Extensions.getExtensions",
  "Extensions.loadUnpacked",
]);

interface Ids {
  targetId: string;
  windowId: unknown;
  screenId: unknown;
  contextId: unknown;
  objectId: unknown;
  nodeId: unknown;
  scriptId: unknown;
}

/** A method, its parameters, and the words in which Chrome refuses them, if it does. */
type Call = [method: string, params?: object, expectedRefusal?: RegExp];

const INTERCEPTION: [object, RegExp] = [{ requestId: "none" }, /Invalid InterceptionId/];
const NAVIGATING = /Not attached to an active page/;
const AUTH_RESPONSE = { authChallengeResponse: { response: "CancelAuth" } };
const POINT = { x: 1, y: 1 };
const COOKIE = { name: "probe", value: "1", url: "https://probe.invalid/" };

/** Methods of the browser's connection. The page is open during all of them. */
export function browserCalls({ targetId, windowId, screenId }: Ids): Call[] {
  return [
    ["Browser.getVersion"],
    ["Browser.getBrowserCommandLine"],
    ["Browser.getWindowForTarget", { targetId }],
    ["Browser.getWindowBounds", { windowId }],
    ["Browser.setWindowBounds", { windowId, bounds: { width: 900, height: 700 } }],
    ["Browser.setContentsSize", { windowId, width: 800, height: 600 }],
    ["Emulation.updateScreen", { screenId, width: 1024, height: 768 }],
    ["Browser.setDownloadBehavior", { behavior: "deny", eventsEnabled: true }],
    ["Browser.grantPermissions", { permissions: ["clipboardReadWrite"] }],
    ["Extensions.getExtensions"],
    ["Extensions.loadUnpacked", { path: "/nowhere" }, /[Mm]anifest|[Ff]ile path|could not be loaded/],
    ["Storage.getCookies"],
    ["Storage.setCookies", { cookies: [] }],
    ["Target.activateTarget", { targetId }],
    ["Target.attachToBrowserTarget"],
    ["Target.getBrowserContexts"],
    ["Target.getTargets", { filter: [{}] }],
    ["Target.getTargetInfo"],
    ["Target.setDiscoverTargets", { discover: true }],
    ["Target.createTarget", { url: "about:blank", hidden: true }],
    ["Target.detachFromTarget", { sessionId: "none" }, /No session with given id/],
    [
      "Target.disposeBrowserContext",
      { browserContextId: "none" },
      /Failed to find (context|browser context)/,
    ],
    ["Target.createBrowserContext", { disposeOnDetach: true }],
    ["Fetch.enable", { patterns: [{ resourceType: "Other" }] }],
    ["Target.closeTarget", { targetId: "none" }, /No target with given id/],
  ];
}

/** Methods of a page's session, the last of which closes it. */
export function pageCalls({ contextId, objectId, nodeId, scriptId }: Ids): Call[] {
  return [
    ["Runtime.enable"],
    ["Runtime.getIsolateId"],
    ["Runtime.addBinding", { name: "probe" }],
    ["Runtime.evaluate", { expression: "1", contextId }],
    ["Runtime.callFunctionOn", { functionDeclaration: "() => 1", objectId }],
    ["Runtime.discardConsoleEntries"],
    ["Runtime.runIfWaitingForDebugger"],
    ["Runtime.terminateExecution"],
    ["Runtime.disable"],
    ["DOM.resolveNode", { nodeId }],
    ["DOM.setFileInputFiles", { files: [], objectId }],
    ["IO.resolveBlob", { objectId }, /doesn't reference a Blob/],
    ["IO.read", { handle: "none" }, /Invalid stream handle/],
    ["Emulation.getScreenInfos"],
    ["Emulation.setDeviceMetricsOverride", { width: 0, height: 0, deviceScaleFactor: 0, mobile: false }],
    ["Emulation.setFocusEmulationEnabled", { enabled: true }],
    ["Emulation.setScriptExecutionDisabled", { value: false }],
    ["Emulation.setUserAgentOverride", { userAgent: "probe" }],
    ["Fetch.enable", { patterns: [{ urlPattern: "https://probe.invalid/*" }], handleAuthRequests: true }],
    ["Fetch.continueRequest", ...INTERCEPTION],
    ["Fetch.continueWithAuth", { ...INTERCEPTION[0], ...AUTH_RESPONSE }, INTERCEPTION[1]],
    ["Fetch.failRequest", { ...INTERCEPTION[0], errorReason: "Aborted" }, INTERCEPTION[1]],
    ["Fetch.fulfillRequest", { ...INTERCEPTION[0], responseCode: 200 }, INTERCEPTION[1]],
    ["Input.dispatchKeyEvent", { type: "keyDown", key: "a", text: "a" }],
    ["Input.dispatchMouseEvent", { type: "mouseMoved", ...POINT }],
    ["Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [POINT] }],
    ["Input.insertText", { text: "a" }],
    ["Inspector.enable"],
    ["Network.enable"],
    ["Network.getCookies"],
    ["Network.setCookie", COOKIE],
    ["Network.deleteCookies", COOKIE],
    ["Network.getResponseBody", { requestId: "none" }, /No resource with given identifier/],
    ["Network.setBypassServiceWorker", { bypass: false }],
    ["Network.disable"],
    ["Page.enable"],
    ["Page.addScriptToEvaluateOnNewDocument", { source: "0", runImmediately: true }],
    ["Page.removeScriptToEvaluateOnNewDocument", { identifier: scriptId }],
    ["Page.bringToFront"],
    ["Page.captureScreenshot", { format: "jpeg" }],
    ["Page.getFrameTree"],
    ["Page.createIsolatedWorld", { frameId: "none" }, /No frame for given id/],
    ["Page.getLayoutMetrics"],
    ["Page.getNavigationHistory"],
    ["Page.navigateToHistoryEntry", { entryId: -1 }, /No entry with passed id/],
    ["Page.handleJavaScriptDialog", { accept: true }, /No dialog is showing/],
    ["Page.setInterceptFileChooserDialog", { enabled: false }],
    ["Page.startScreencast", { format: "jpeg" }],
    ["Page.screencastFrameAck", { sessionId: 0 }],
    ["Page.stopScreencast"],
    ["PerformanceTimeline.enable", { eventTypes: [] }],
    ["Target.attachToTarget", { targetId: "none" }, /No target with given id/],
    ["Target.setAutoAttach", { autoAttach: false, waitForDebuggerOnStart: false, flatten: true }],
    ["Page.navigate", { url: "about:blank" }],
    ["Page.stopLoading", {}, NAVIGATING],
    ["Page.reload", {}, NAVIGATING],
    ["Page.close", {}, NAVIGATING],
  ];
}

export const devToolsChecks: Check[] = [
  { name: "devtools_methods", limitMs: 90_000, run: tryMethods },
  { name: "devtools_refusals", limitMs: 60_000, run: tryUnknownMethod },
];

async function tryMethods(context: ProbeContext): Promise<Finding> {
  using connection = await connectRaw(context);
  const { ids, sessionId } = await openPage(connection);
  const refusals = new Map<string, string>();
  let calls = 0;
  for (const [group, session] of [
    [browserCalls(ids), undefined],
    [pageCalls(ids), sessionId],
  ] as const) {
    for (const [method, params, expected] of group) {
      calls += 1;
      const refusal = findRefusal(await connection.send(method, params, session), expected);
      if (refusal !== undefined) refusals.set(method, refusal);
    }
  }
  return judgeMethods(calls, refusals);
}

export function findRefusal(answer: Answer, expected: RegExp | undefined): string | undefined {
  if (!("refusal" in answer) || expected?.test(answer.refusal)) return undefined;
  return answer.refusal;
}

export function judgeMethods(calls: number, refusals: ReadonlyMap<string, string>): Finding {
  const details = Object.fromEntries(refusals);
  const needed = [...refusals].filter(([method]) => !OPTIONAL.has(method));
  const describe = (list: readonly [string, string][]) =>
    list.map(([name, text]) => `${name} (${text})`).join(", ");
  if (needed.length > 0) return differs(`refused: ${describe(needed)}`, details);
  const text = `${calls - refusals.size} of ${calls} methods`;
  return holds(refusals.size === 0 ? text : `${text}; without need: ${describe([...refusals])}`, details);
}

async function tryUnknownMethod(context: ProbeContext): Promise<Finding> {
  using connection = await connectRaw(context);
  return judgeUnknownMethod(await connection.send("Berth.unknown"));
}

/** Browsers of different versions lack methods, which is recognized by these words. */
export function judgeUnknownMethod(answer: Answer): Finding {
  const text = "refusal" in answer ? answer.refusal : "the method was accepted";
  return text.endsWith("wasn't found") ? holds(text) : differs(text);
}

async function connectRaw(context: ProbeContext): Promise<RawConnection> {
  return new RawConnection(await openDevToolsSocket(context.env.BROWSER, await context.launch()));
}

async function openPage(connection: RawConnection): Promise<{ ids: Ids; sessionId: string }> {
  const read = async (method: string, params: object, session?: string) => {
    const answer = await connection.send(method, params, session);
    return "result" in answer ? answer.result : {};
  };
  const targetId = String((await read("Target.createTarget", { url: "about:blank" })).targetId);
  const sessionId = String((await read("Target.attachToTarget", { targetId, flatten: true })).sessionId);
  const input = `Object.assign(document.body.appendChild(document.createElement("input")), { type: "file" })`;
  const { windowId } = await read("Browser.getWindowForTarget", { targetId });
  const { screenInfos } = await read("Emulation.getScreenInfos", {}, sessionId);
  const screen: unknown = Array.isArray(screenInfos) ? screenInfos[0] : undefined;
  const { frameTree } = await read("Page.getFrameTree", {}, sessionId);
  const frame = isRecord(frameTree) && isRecord(frameTree.frame) ? frameTree.frame : {};
  const world = await read("Page.createIsolatedWorld", { frameId: frame.id }, sessionId);
  const { result } = await read("Runtime.evaluate", { expression: input }, sessionId);
  const { root } = await read("DOM.getDocument", {}, sessionId);
  await read("Page.enable", {}, sessionId);
  const script = await read("Page.addScriptToEvaluateOnNewDocument", { source: "0" }, sessionId);
  const ids = {
    targetId,
    windowId,
    screenId: isRecord(screen) ? screen.id : undefined,
    contextId: world.executionContextId,
    objectId: isRecord(result) ? result.objectId : undefined,
    nodeId: isRecord(root) ? root.nodeId : undefined,
    scriptId: script.identifier,
  };
  return { ids, sessionId };
}
