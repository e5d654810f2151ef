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
  | Exclude<Interception, { action: "serve" }>
  /** Served; or, where `concerns` says that it is about nothing that matters, passed on. */
  | { action: "serve"; concerns?: (params: unknown) => boolean };

/** Every method that does not simply pass, or a prefix of such methods ending in `*`. */
const INTERCEPTED_METHODS: Record<string, Rule> = {
  "Browser.close": { action: "close-client" },
  "Browser.crash*": { action: "refuse", message: "Crashing the browser is not allowed" },
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
  // Some contexts are Berth's own.
  "Target.getBrowserContexts": { action: "serve" },
};

const PATTERNS = Object.entries(INTERCEPTED_METHODS).map(([method, rule]) => ({
  rule,
  isPrefix: method.endsWith("*"),
  text: method.replace(/\*$/, ""),
}));

/** What a frame must hold to need a closer look: a name of the table, or an escape that could hide one. */
const SUSPICIOUS_TEXTS = [...PATTERNS.map(({ text }) => text), String.raw`\u`];

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
 * @returns the frame to send on, or the command that is not.
 */
export function inspectCommand(frame: string): { frame: string } | InterceptedCommand {
  if (!SUSPICIOUS_TEXTS.some((text) => frame.includes(text))) return { frame };
  const command = parse(frame);
  if (command === UNPARSABLE) return { interception: UNREADABLE };
  if (!isCommand(command)) return { frame: JSON.stringify(command) };
  const understood = understand(command);
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
function understand(command: Command): { interception: Interception } | { command: Command } {
  const { method, params, sessionId } = command;
  if (typeof method !== "string") return { command };
  const rule = findRule(method);
  if (rule !== undefined && rule.action !== "serve") return { interception: rule };
  if (rule !== undefined && rule.concerns?.(params) !== false) {
    const served = { method, params, sessionId: typeof sessionId === "string" ? sessionId : undefined };
    return { interception: { action: "serve", command: served } };
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
  const inner = isCommand(wrapped) ? understand(wrapped) : { command: wrapped };
  if ("interception" in inner)
    return inner.interception.action === "serve" ? { interception: UNSERVABLE } : inner;
  return { command: { ...command, params: { ...params, message: JSON.stringify(inner.command) } } };
}

function findRule(method: string): Rule | undefined {
  return PATTERNS.find(({ text, isPrefix }) => (isPrefix ? method.startsWith(text) : method === text))?.rule;
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
