import {
  attachSession,
  type CDPSession,
  type Connection,
  refusalOf,
} from "../../../platform/browser/index.ts";
import { type Checks, differs, type Finding, holds } from "../check.ts";

/** Methods that Berth sends to browsers. A test compares them with the source. */
const BROWSER_METHODS = `Browser.getBrowserCommandLine Browser.getVersion Browser.getWindowForTarget
  Browser.getWindowBounds Browser.setWindowBounds Browser.setContentsSize Browser.setDownloadBehavior
  Emulation.updateScreen Extensions.getExtensions Extensions.loadUnpacked Storage.getCookies
  Storage.setCookies Target.activateTarget Target.attachToBrowserTarget Target.attachToTarget Target.closeTarget
  Target.createBrowserContext Target.createTarget Target.detachFromTarget Target.disposeBrowserContext
  Target.getBrowserContexts Target.getTargetInfo Target.getTargets Target.setAutoAttach Target.setDiscoverTargets`;

/** Methods that Berth sends to pages. The last ones end the page's document. */
const PAGE_METHODS = `DOM.resolveNode DOM.setFileInputFiles Emulation.getScreenInfos
  Emulation.setDeviceMetricsOverride Emulation.setFocusEmulationEnabled Emulation.setScriptExecutionDisabled
  Emulation.setUserAgentOverride Fetch.continueRequest Fetch.continueWithAuth Fetch.enable Fetch.failRequest
  Fetch.fulfillRequest IO.read IO.resolveBlob Input.dispatchKeyEvent Input.dispatchMouseEvent
  Input.dispatchTouchEvent Input.insertText Inspector.enable Log.clear Log.disable Log.enable
  Network.deleteCookies Network.disable Network.enable Network.getCookies Network.getResponseBody
  Network.setBypassServiceWorker Network.setCookie Page.enable Page.addScriptToEvaluateOnNewDocument
  Page.bringToFront Page.captureScreenshot Page.createIsolatedWorld Page.getFrameTree Page.getLayoutMetrics
  Page.getNavigationHistory Page.handleJavaScriptDialog Page.navigateToHistoryEntry
  Page.removeScriptToEvaluateOnNewDocument Page.screencastFrameAck Page.setInterceptFileChooserDialog
  Page.startScreencast Page.stopScreencast PerformanceTimeline.enable Runtime.addBinding Runtime.callFunctionOn
  Runtime.discardConsoleEntries Runtime.enable Runtime.disable Runtime.evaluate Runtime.getIsolateId
  Runtime.runIfWaitingForDebugger Runtime.terminateExecution Page.navigate Page.stopLoading Page.reload
  Page.close`;

/** Berth works without them: it emulates windows, runs content scripts itself, and guesses a folder. */
const OPTIONAL =
  /^(Browser\.(get|set)Window|Browser\.(setContentsSize|getBrowserCommandLine)|Emulation\.(getScreenInfos|updateScreen)|Extensions)/;

/** Chrome's words when parameters are missing. A method that is itself refused never gets that far. */
const PARAMETERS_REFUSED =
  /^Invalid parameters|^No dialog is showing|must be specified|Not attached to an active page|objectId|backendNodeId|Fetch domain/;

export const devtoolsChecks = {
  /** Sends all methods without parameters. */
  async devtools_methods(context) {
    const { connection } = await context.open();
    const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
    const page = await attachSession(connection, targetId);
    const answers = new Map<string, string | undefined>();
    for (const method of BROWSER_METHODS.split(/\s+/)) answers.set(method, await ask(connection, method));
    for (const method of PAGE_METHODS.split(/\s+/)) answers.set(method, await ask(page, method));
    return judgeMethods(answers);
  },
} satisfies Checks;

/** @returns the browser's refusal. @throws when no answer comes. */
async function ask(target: Connection | CDPSession, method: string): Promise<string | undefined> {
  try {
    // Puppeteer's types do not take the name of any method.
    await Reflect.apply(target.send, target, [method]);
    return undefined;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

/** @param answers refusals by method; undefined: it was accepted. */
export function judgeMethods(answers: ReadonlyMap<string, string | undefined>): Finding {
  const refused = [...answers].flatMap(([method, refusal]) =>
    refusal === undefined || PARAMETERS_REFUSED.test(refusal) ? [] : [[method, refusal] as const],
  );
  const details = Object.fromEntries(refused);
  const text = refused.map(([method, refusal]) => `${method} (${refusal})`).join(", ");
  if (refused.some(([method]) => !OPTIONAL.test(method))) return differs(`refused: ${text}`, details);
  const count = `${answers.size - refused.length} of ${answers.size} methods`;
  return holds(text === "" ? count : `${count}; not needed: ${text}`, details);
}
