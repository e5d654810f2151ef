import { openDevToolsSocket } from "../../browser/index.ts";
import { isRecord } from "../../common/is-record.ts";
import { type Answer, ask } from "../ask.ts";
import { differs, type Finding, holds } from "../check.ts";
import type { ProbeContext } from "../context.ts";

/** Methods that Berth sends to browsers. A test compares them with the source. */
export const BROWSER_METHODS = `Browser.getBrowserCommandLine Browser.getVersion Browser.getWindowForTarget
  Browser.getWindowBounds Browser.setWindowBounds Browser.setContentsSize Browser.setDownloadBehavior
  Emulation.updateScreen Extensions.getExtensions Extensions.loadUnpacked Storage.getCookies
  Storage.setCookies Target.activateTarget Target.attachToBrowserTarget Target.attachToTarget Target.closeTarget
  Target.createBrowserContext Target.createTarget Target.detachFromTarget Target.disposeBrowserContext
  Target.getBrowserContexts Target.getTargetInfo Target.getTargets Target.setAutoAttach Target.setDiscoverTargets`;

/** Methods that Berth sends to pages. The last ones end the page's document. */
export const PAGE_METHODS = `DOM.resolveNode DOM.setFileInputFiles Emulation.getScreenInfos
  Emulation.setDeviceMetricsOverride Emulation.setFocusEmulationEnabled Emulation.setScriptExecutionDisabled
  Emulation.setUserAgentOverride Fetch.continueRequest Fetch.continueWithAuth Fetch.enable Fetch.failRequest
  Fetch.fulfillRequest IO.read IO.resolveBlob Input.dispatchKeyEvent Input.dispatchMouseEvent
  Input.dispatchTouchEvent Input.insertText Inspector.enable Network.deleteCookies Network.disable Network.enable
  Network.getCookies Network.getResponseBody Network.setBypassServiceWorker Network.setCookie Page.enable
  Page.addScriptToEvaluateOnNewDocument Page.bringToFront Page.captureScreenshot Page.createIsolatedWorld
  Page.getFrameTree Page.getLayoutMetrics Page.getNavigationHistory Page.handleJavaScriptDialog
  Page.navigateToHistoryEntry Page.removeScriptToEvaluateOnNewDocument Page.screencastFrameAck
  Page.setInterceptFileChooserDialog Page.startScreencast Page.stopScreencast PerformanceTimeline.enable
  Runtime.addBinding Runtime.callFunctionOn Runtime.discardConsoleEntries Runtime.enable Runtime.disable
  Runtime.evaluate Runtime.getIsolateId Runtime.runIfWaitingForDebugger Runtime.terminateExecution Page.navigate
  Page.stopLoading Page.reload Page.close`;

/** Berth works without them: it emulates windows, runs content scripts itself, and guesses a folder. */
const OPTIONAL =
  /^(Browser\.(get|set)Window|Browser\.(setContentsSize|getBrowserCommandLine)|Emulation\.(getScreenInfos|updateScreen)|Extensions)/;

/** Chrome's words for parameters that do not fit. A method that is refused as such never gets that far. */
const PARAMETERS_REFUSED =
  /^Invalid parameters|^No dialog is showing|must be specified|Not attached to an active page|objectId|backendNodeId|Fetch domain/;

/** Parameters of the methods that need a window, a page or a point to do something. */
function parametersOf(targetId: string, windowId: unknown, screenId: unknown): Record<string, object> {
  const point = { x: 1, y: 1 };
  return {
    "Browser.getWindowForTarget": { targetId },
    "Browser.getWindowBounds": { windowId },
    "Browser.setWindowBounds": { windowId, bounds: { width: 900, height: 700 } },
    "Browser.setContentsSize": { windowId, width: 800, height: 600 },
    "Emulation.updateScreen": { screenId, width: 1024, height: 768 },
    "Target.activateTarget": { targetId },
    "Target.createTarget": { url: "about:blank", hidden: true },
    "Storage.setCookies": { cookies: [] },
    "Input.dispatchKeyEvent": { type: "keyDown", key: "a", text: "a" },
    "Input.dispatchMouseEvent": { type: "mouseMoved", ...point },
    "Input.dispatchTouchEvent": { type: "touchStart", touchPoints: [point] },
    "Input.insertText": { text: "a" },
    "Page.startScreencast": { format: "jpeg" },
    "Page.navigate": { url: "about:blank" },
    "Runtime.evaluate": { expression: "1" },
  };
}

export async function tryMethods(context: ProbeContext): Promise<Finding> {
  const socket = await connect(context);
  const { result: page } = await ask(socket, "Target.createTarget", { url: "about:blank" });
  const targetId = String(page.targetId);
  const { result: attached } = await ask(socket, "Target.attachToTarget", { targetId, flatten: true });
  const sessionId = String(attached.sessionId);
  const { result: window } = await ask(socket, "Browser.getWindowForTarget", { targetId });
  const { result: screens } = await ask(socket, "Emulation.getScreenInfos", {}, sessionId);
  const screen: unknown = Array.isArray(screens.screenInfos) ? screens.screenInfos[0] : undefined;
  const parameters = parametersOf(targetId, window.windowId, isRecord(screen) ? screen.id : undefined);
  const answers = new Map<string, Answer>();
  for (const [methods, session] of [
    [BROWSER_METHODS, undefined],
    [PAGE_METHODS, sessionId],
  ] as const) {
    for (const method of methods.split(/\s+/)) {
      answers.set(method, await ask(socket, method, parameters[method], session));
    }
  }
  return judgeMethods(answers);
}

export function judgeMethods(answers: ReadonlyMap<string, Answer>): Finding {
  const refused = [...answers].flatMap(([method, { refusal }]): [string, string][] =>
    refusal === undefined || PARAMETERS_REFUSED.test(refusal) ? [] : [[method, refusal]],
  );
  const details = Object.fromEntries(refused);
  const needed = refused.filter(([method]) => !OPTIONAL.test(method));
  const text = refused.map(([method, refusal]) => `${method} (${refusal})`).join(", ");
  if (needed.length > 0) return differs(`refused: ${text}`, details);
  const count = `${answers.size - refused.length} of ${answers.size} methods`;
  return holds(text === "" ? count : `${count}; not needed: ${text}`, details);
}

export async function tryUnknownMethod(context: ProbeContext): Promise<Finding> {
  return judgeUnknownMethod(await ask(await connect(context), "Berth.unknown"));
}

/** Browsers of different versions lack methods, which is recognized by these words. */
export function judgeUnknownMethod({ refusal = "it was accepted" }: Answer): Finding {
  return refusal.endsWith("wasn't found") ? holds(refusal) : differs(refusal);
}

async function connect(context: ProbeContext): Promise<WebSocket> {
  return openDevToolsSocket(context.env.BROWSER, await context.launch());
}
