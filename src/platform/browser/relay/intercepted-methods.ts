import { isRecord } from "../../../lib/common/is-record.ts";
import { mayOpen, NOT_OPENED } from "../allowed-urls.ts";
import type { MainContext } from "../contexts/main-context.ts";
import type { ClientCommand } from "./client-command.ts";

export type Interception =
  /** Respond with success and close this client's connection. The session continues. */
  | { action: "close-client" }
  | { action: "refuse"; message: string }
  | { action: "serve"; command: ClientCommand };

type Rule =
  | Exclude<Interception, { action: "serve" | "refuse" }>
  | {
      action: "refuse";
      message: string;
      onlyInMainContext?: true;
      onlyOfCrashedPage?: true;
      concerns?: (params: unknown) => boolean;
    }
  | { action: "serve"; concerns?: (params: unknown) => boolean }
  | { action: "pass" }
  | { action: "change"; change: (params: Record<string, unknown>) => object }
  /**
   * Sent with the session's main context if the command names none. `onlyOfBrowser`: only in the browser's
   * session, because in a page's session the command means the page's context.
   */
  | { action: "place"; onlyOfBrowser?: true };

export type IsCrashed = (sessionId: string | undefined) => boolean;

export interface Placement {
  context: MainContext;
  isPrivate: (contextId: string) => boolean;
  isOfBrowser: (sessionId: string | undefined) => boolean;
}

/** Chrome 156 crashes on windows of 20,000 × 20,000 px or 2^31 px away, and clips with numbers from 10^7. */
export const MAX_WINDOW_SIZE = 10_000;
const MAX_WINDOW_DISTANCE = 1_000_000;
const MAX_CLIP = 1_000_000;

const WINDOW_LIMITS = `Windows have at most ${MAX_WINDOW_SIZE} pixels a side, within ${MAX_WINDOW_DISTANCE} of the screen: Chrome crashes on others`;

/** JSON may need six characters for each byte, besides the body in Base64. A message has at most 32 MiB. */
const MAX_POST_DATA_BYTES = 4 * 1024 * 1024;

const INTERCEPTED_METHODS: Record<string, Rule> = {
  "Browser.close": { action: "close-client" },
  "Browser.crash*": { action: "refuse", message: "Crashing the browser is not allowed" },
  // Chrome 156 crashes on these.
  "Storage.deleteStorageBucket": { action: "refuse", message: "Chrome crashes on this command" },
  "Browser.executeBrowserCommand": { action: "refuse", message: "The browser has no window of its own" },
  "Input.imeSetComposition": {
    action: "refuse",
    message: "replacementStart must be at least 0: Chrome crashes on it otherwise",
    concerns: replacesBeforeStart,
  },
  "Input.synthesize*": {
    action: "refuse",
    message: "The page has crashed: reload it first",
    onlyOfCrashedPage: true,
  },
  "Browser.setWindowBounds": {
    action: "refuse",
    message: WINDOW_LIMITS,
    concerns: (params) => isRecord(params) && exceedsWindow(params.bounds),
  },
  "Browser.setContentsSize": { action: "refuse", message: WINDOW_LIMITS, concerns: exceedsWindow },
  "Page.captureScreenshot": {
    action: "refuse",
    message: `Numbers of clip must be at most ${MAX_CLIP}: Chrome crashes on larger ones`,
    concerns: (params) => isRecord(params) && exceeds(params.clip, () => MAX_CLIP),
  },
  "Network.enable": { action: "change", change: limitPostData },
  "Cloudflare.*": { action: "refuse", message: "Commands of the platform are not allowed" },
  "Tethering.*": { action: "refuse", message: "Ports of the browser's machine are not available" },
  // These paths are on the session's machine, not on the browser's.
  "Browser.setDownloadBehavior": { action: "serve" },
  "Page.setDownloadBehavior": { action: "serve" },
  "DOM.setFileInputFiles": { action: "serve" },
  "Input.dispatchDragEvent": { action: "serve", concerns: dragsFiles },
  "Target.getBrowserContexts": { action: "serve" },
  "Target.createBrowserContext": { action: "serve" },
  "Target.disposeBrowserContext": { action: "serve" },
  "Target.createTarget": { action: "place" },
  "Browser.grantPermissions": { action: "place" },
  "Browser.resetPermissions": { action: "place" },
  "Browser.setPermission": { action: "place" },
  "Browser.cancelDownload": { action: "place" },
  "Storage.getCookies": { action: "place", onlyOfBrowser: true },
  "Storage.setCookies": { action: "place", onlyOfBrowser: true },
  "Storage.clearCookies": { action: "place", onlyOfBrowser: true },
  "Target.activateTarget": { action: "serve" },
  "Page.bringToFront": { action: "serve" },
  "Target.attachToBrowserTarget": { action: "pass" },
  "Target.attachToTarget": { action: "pass" },
  "Target.autoAttachRelated": { action: "pass" },
  "Target.closeTarget": { action: "pass" },
  "Target.detachFromTarget": { action: "pass" },
  "Target.getTargetInfo": { action: "pass" },
  "Target.getTargets": { action: "pass" },
  "Target.setAutoAttach": { action: "pass" },
  "Target.setDiscoverTargets": { action: "pass" },
  // Some of the others give a client or a page another way to the browser that bypasses these rules.
  "Target.*": { action: "refuse", message: "Commands must come over this connection, with a sessionId" },
  // Traces can contain the proxy's credentials.
  "Tracing.start": {
    action: "refuse",
    message: "Traces are not available in sessions with a proxy",
    onlyInMainContext: true,
  },
  // The path would be on the browser's machine.
  "Extensions.loadUnpacked": { action: "refuse", message: "Extensions are loaded when a session is created" },
  // These use the browser's default context, which has no proxy.
  "Extensions.*": {
    action: "refuse",
    message: "Extensions loaded by a client would not use the session's proxy",
    onlyInMainContext: true,
  },
  // An installed application can be given any file of the browser's machine, and is written to its desktop.
  "PWA.*": { action: "refuse", message: "Web applications cannot be installed here" },
};

const PATTERNS = Object.entries(INTERCEPTED_METHODS).map(([method, rule]) => ({
  rule,
  isPrefix: method.endsWith("*"),
  text: method.replace(/\*$/, ""),
}));

const URL_REFUSED: Interception = { action: "refuse", message: NOT_OPENED };

/** A frame is parsed only if it contains one of these. An escape could hide a name. */
const SUSPICIOUS_TEXTS = [...PATTERNS.map(({ text }) => text), '"url"', String.raw`\u`];

/** Chrome accepts escapes and characters JSON.parse refuses: unparsable suspicious frames are refused. */
const UNREADABLE: Interception = { action: "refuse", message: "The command is not valid JSON" };

export interface InterceptedCommand {
  interception: Interception;
  id?: number;
  sessionId?: string;
}

/**
 * Inspects a client's frame on its way to the browser. A suspicious frame is parsed and serialized again, so
 * that ambiguous JSON (a duplicate key) cannot mean something else to the browser.
 *
 * @param placement undefined while the session's main context is the browser's default one.
 * @param opens see {@link mayOpen}.
 * @returns the frame to send, or the command to intercept.
 */
export function inspectCommand(
  frame: string,
  placement?: Placement,
  isCrashed: IsCrashed = () => false,
  opens: (url: string) => boolean = mayOpen,
): { frame: string } | InterceptedCommand {
  if (!SUSPICIOUS_TEXTS.some((text) => frame.includes(text))) return { frame };
  const command = parse(frame);
  if (command === UNPARSABLE) return { interception: UNREADABLE };
  if (!isCommand(command)) return { frame: JSON.stringify(command) };
  const decision = applyRules(command, placement, isCrashed, opens);
  if ("command" in decision) return { frame: JSON.stringify(decision.command) };
  return {
    interception: decision.interception,
    id: typeof command.id === "number" ? command.id : undefined,
    sessionId: typeof command.sessionId === "string" ? command.sessionId : undefined,
  };
}

interface Command {
  id?: unknown;
  method?: unknown;
  params?: unknown;
  sessionId?: unknown;
}

function applyRules(
  command: Command,
  placement: Placement | undefined,
  isCrashed: IsCrashed,
  opens: (url: string) => boolean,
): { interception: Interception } | { command: Command } {
  const { method, params } = command;
  if (typeof method !== "string") return { command };
  const sessionId = typeof command.sessionId === "string" ? command.sessionId : undefined;
  if (namesURL(command) && !opens(command.params.url)) return { interception: URL_REFUSED };
  const rule = findRule(method);
  switch (rule?.action) {
    case "close-client":
      return { interception: rule };
    case "refuse":
      if (rule.onlyInMainContext && placement === undefined) break;
      if (rule.onlyOfCrashedPage && !isCrashed(sessionId)) break;
      if (rule.concerns?.(params) === false) break;
      return { interception: { action: "refuse", message: rule.message } };
    case "serve":
      if (rule.concerns?.(params) === false) break;
      return { interception: { action: "serve", command: { method, params, sessionId } } };
    case "change":
      if (params !== undefined && !isRecord(params)) break;
      return { command: { ...command, params: rule.change(params ?? {}) } };
    case "place":
      if (placement === undefined || (rule.onlyOfBrowser && !placement.isOfBrowser(sessionId))) break;
      return { command: { ...command, params: place(params, placement) } };
  }
  return { command };
}

function place(params: unknown, { context, isPrivate }: Placement): unknown {
  if (params !== undefined && !isRecord(params)) return params;
  const named = params?.browserContextId;
  const isForeign = typeof named === "string" && (named === context.defaultId || isPrivate(named));
  return named === undefined || isForeign ? { ...params, browserContextId: context.id } : params;
}

function findRule(method: string): Rule | undefined {
  return PATTERNS.find(({ text, isPrefix }) => (isPrefix ? method.startsWith(text) : method === text))?.rule;
}

/** The debugger's URLs name scripts. */
function namesURL(command: Command): command is { params: { url: string } } {
  const { method, params } = command;
  const isOfDebugger = typeof method === "string" && method.startsWith("Debugger.");
  return !isOfDebugger && isRecord(params) && typeof params.url === "string";
}

/** An event with a larger body would exceed the limit of messages. Clients can still ask for the body. */
function limitPostData(params: Record<string, unknown>): object {
  const { maxPostDataSize: size = MAX_POST_DATA_BYTES } = params;
  return {
    ...params,
    maxPostDataSize: typeof size === "number" ? Math.min(size, MAX_POST_DATA_BYTES) : size,
  };
}

function exceedsWindow(bounds: unknown): boolean {
  return exceeds(bounds, (name) => (/width|height/i.test(name) ? MAX_WINDOW_SIZE : MAX_WINDOW_DISTANCE));
}

function exceeds(numbers: unknown, limitOf: (name: string) => number): boolean {
  if (!isRecord(numbers)) return false;
  return Object.entries(numbers).some(
    ([name, value]) => typeof value === "number" && Math.abs(value) > limitOf(name),
  );
}

function replacesBeforeStart(params: unknown): boolean {
  return isRecord(params) && typeof params.replacementStart === "number" && params.replacementStart < 0;
}

function dragsFiles(params: unknown): boolean {
  if (!isRecord(params) || !isRecord(params.data)) return false;
  const { files } = params.data;
  return files !== undefined && !(Array.isArray(files) && files.length === 0);
}

const UNPARSABLE = Symbol("unparsable");

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return UNPARSABLE;
  }
}

function isCommand(value: unknown): value is Command {
  return isRecord(value);
}
