import { isRecord } from "../../common/is-record.ts";
import type { MainContext } from "../contexts/main-context.ts";
import type { ClientCommand } from "./client-command.ts";

/** What the relay does with a command of a client's instead of passing it on. */
export type Interception =
  /** Answer success, then end this client's connection; the session goes on. */
  | { action: "close-client" }
  /** Answer with a protocol error. */
  | { action: "refuse"; message: string }
  /** Have it served by those who know more of the session than its browser does. */
  | { action: "serve"; command: ClientCommand };

type Rule =
  | Exclude<Interception, { action: "serve" | "refuse" }>
  /** Refused; or passed on, where it is only for sessions whose main context is not the default one, or as below. */
  | {
      action: "refuse";
      message: string;
      onlyInMainContext?: true;
      /** Only in the session of a page that has crashed. */
      onlyOfCrashedPage?: true;
      concerns?: (params: unknown) => boolean;
    }
  /** Served; or, where `concerns` says that it is about nothing that matters, passed on. */
  | { action: "serve"; concerns?: (params: unknown) => boolean }
  /**
   * Sent on, about the session's main context where it names none. In a page's session some commands are about the
   * page's own context then, and stay so.
   */
  | { action: "place"; onlyOfBrowser?: true };

/** Whether the page of a session has crashed; undefined: the page of the connection itself. */
export type IsCrashed = (sessionId: string | undefined) => boolean;

/** What a command that names no context is about, other than the browser's default one. */
export interface Placement {
  context: MainContext;
  /** Whether a context is one of Berth's own, in which clients have nothing to do. */
  isPrivate: (contextId: string) => boolean;
  /** Whether commands of a session are commands to the browser. */
  isOfBrowser: (sessionId: string | undefined) => boolean;
}

/** Every method that does not simply pass, or a prefix of such methods ending in `*`. */
const INTERCEPTED_METHODS: Record<string, Rule> = {
  "Browser.close": { action: "close-client" },
  "Browser.crash*": { action: "refuse", message: "Crashing the browser is not allowed" },
  // Chrome itself crashes on these, as measured with version 156.
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
  "Cloudflare.*": { action: "refuse", message: "Commands of the platform are not allowed" },
  // What a page sends over the binding that this makes does not pass through the relay.
  "Target.exposeDevToolsProtocol": { action: "refuse", message: "Commands must come over this connection" },
  // Opens ports on the browser's machine.
  "Tethering.*": { action: "refuse", message: "Ports of the browser's machine are not available" },
  // The paths in these are of the session's machine, not of the browser's.
  "Browser.setDownloadBehavior": { action: "serve" },
  "Page.setDownloadBehavior": { action: "serve" },
  "DOM.setFileInputFiles": { action: "serve" },
  "Input.dispatchDragEvent": { action: "serve", concerns: dragsFiles },
  // Some contexts are Berth's own, and those of clients get the session's proxy.
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
  // These would get around what is said above, and with it around a proxy.
  "Target.sendMessageToTarget": {
    action: "refuse",
    message: "Commands must be sent to a session by its sessionId here",
    onlyInMainContext: true,
  },
  // A trace can hold the proxy's credentials, and there are too many ways to ask for such a trace.
  "Tracing.start": {
    action: "refuse",
    message: "Traces are not available in sessions with a proxy",
    onlyInMainContext: true,
  },
  // Extensions, the DevTools' own pages and targets of other machines use the browser's default context.
  "Extensions.*": {
    action: "refuse",
    message: "Extensions loaded by a client would not use the session's proxy",
    onlyInMainContext: true,
  },
  "Target.openDevTools": {
    action: "refuse",
    message: "The browser's own DevTools would not use the session's proxy",
    onlyInMainContext: true,
  },
  "Target.setRemoteLocations": {
    action: "refuse",
    message: "Targets of other machines would not use the session's proxy",
    onlyInMainContext: true,
  },
  "PWA.*": {
    action: "refuse",
    message: "Installed applications would not use the session's proxy",
    onlyInMainContext: true,
  },
};

const PATTERNS = Object.entries(INTERCEPTED_METHODS).map(([method, rule]) => ({
  rule,
  isPrefix: method.endsWith("*"),
  text: method.replace(/\*$/, ""),
}));

/** The browser's page that records its network into a file, the proxy's credentials included. */
export const NET_EXPORT_PAGE = "chrome://net-export";

const NET_EXPORT_REFUSED: Interception = {
  action: "refuse",
  message: "Logs of the network are not available in sessions with a proxy",
};

/** What a frame must hold to need a closer look: a name of the table, or an escape that could hide one. */
const SUSPICIOUS_TEXTS = [...PATTERNS.map(({ text }) => text), NET_EXPORT_PAGE, String.raw`\u`];

/**
 * What JSON.parse refuses the browser may still understand: it takes escapes and characters in strings that are
 * not JSON. So a frame that needs a closer look and cannot be given one does not pass.
 */
const UNREADABLE: Interception = { action: "refuse", message: "The command is not valid JSON" };

/** What answers a wrapped command is wrapped too, by the browser, which gets to see it only as it was sent. */
const UNSERVABLE: Interception = {
  action: "refuse",
  message: "The command must not be wrapped in another one",
};

/** A command that its sender wraps in another one as text. */
const WRAPPER = "Target.sendMessageToTarget";

export interface InterceptedCommand {
  interception: Interception;
  /** Absent when the command carries none that a reply could name. */
  id?: number;
  sessionId?: string;
}

/**
 * Looks at a frame on its way to the browser.
 *
 * A frame that can hold no name of the table passes unparsed. One that may is parsed; where its method is not
 * of the table it passes as it was understood here, so that what a reader of JSON may take either way (a key
 * given twice) cannot mean something else to the browser.
 *
 * @param placement undefined while the session's main context is the browser's default one.
 * @returns the frame to send on, or the command that is not.
 */
export function inspectCommand(
  frame: string,
  placement?: Placement,
  isCrashed: IsCrashed = () => false,
): { frame: string } | InterceptedCommand {
  if (!SUSPICIOUS_TEXTS.some((text) => frame.includes(text))) return { frame };
  const command = parse(frame);
  if (command === UNPARSABLE) return { interception: UNREADABLE };
  if (!isCommand(command)) return { frame: JSON.stringify(command) };
  const understood = understand(command, placement, isCrashed);
  if ("command" in understood) return { frame: JSON.stringify(understood.command) };
  return {
    interception: understood.interception,
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

/** What is to be done about a command, or the command as it was understood, what it wraps included. */
function understand(
  command: Command,
  placement: Placement | undefined,
  isCrashed: IsCrashed,
): { interception: Interception } | { command: Command } {
  const { method, params } = command;
  if (typeof method !== "string") return { command };
  const sessionId = typeof command.sessionId === "string" ? command.sessionId : undefined;
  if (placement !== undefined && isRecord(params) && opensNetExport(params.url)) {
    return { interception: NET_EXPORT_REFUSED };
  }
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
    case "place":
      if (placement === undefined || (rule.onlyOfBrowser && !placement.isOfBrowser(sessionId))) break;
      return { command: { ...command, params: place(params, placement) } };
  }
  if (
    method !== WRAPPER ||
    !isCommand(params) ||
    !("message" in params) ||
    typeof params.message !== "string"
  ) {
    return { command };
  }
  const wrapped = parse(params.message);
  if (wrapped === UNPARSABLE) return { interception: UNREADABLE };
  const inner = isCommand(wrapped) ? understand(wrapped, placement, isCrashed) : { command: wrapped };
  if ("interception" in inner)
    return inner.interception.action === "serve" ? { interception: UNSERVABLE } : inner;
  return { command: { ...command, params: { ...params, message: JSON.stringify(inner.command) } } };
}

/** Parameters with a context: what names the default one, or one of Berth's own, means the one that stands in for it. */
function place(params: unknown, { context, isPrivate }: Placement): unknown {
  if (params !== undefined && !isRecord(params)) return params;
  const named = params?.browserContextId;
  const isForeign = typeof named === "string" && (named === context.defaultId || isPrivate(named));
  return named === undefined || isForeign ? { ...params, browserContextId: context.id } : params;
}

function findRule(method: string): Rule | undefined {
  return PATTERNS.find(({ text, isPrefix }) => (isPrefix ? method.startsWith(text) : method === text))?.rule;
}

function opensNetExport(url: unknown): boolean {
  return typeof url === "string" && url.trim().toLowerCase().startsWith(NET_EXPORT_PAGE);
}

/** Whether text is to replace what is before the start of the field. */
function replacesBeforeStart(params: unknown): boolean {
  return isRecord(params) && typeof params.replacementStart === "number" && params.replacementStart < 0;
}

/** Whether a drag may bring files; a drag of text or of an element brings none. */
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
