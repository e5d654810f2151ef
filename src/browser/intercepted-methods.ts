/** What the relay does with a command of a client's instead of passing it on. */
export type Interception =
  /** Answer success, then end this client's connection; the session goes on. */
  | { action: "close-client" }
  /** Answer with a protocol error. */
  | { action: "refuse"; message: string };

/** Every method that does not pass, or a prefix of such methods ending in `*`. */
const INTERCEPTED_METHODS: Record<string, Interception> = {
  "Browser.close": { action: "close-client" },
  "Browser.crash*": { action: "refuse", message: "Crashing the browser is not allowed" },
  "Cloudflare.*": { action: "refuse", message: "Commands of the platform are not allowed" },
  // What a page sends over the binding that this makes does not pass through the relay.
  "Target.exposeDevToolsProtocol": { action: "refuse", message: "Commands must come over this connection" },
  // Opens ports on the browser's machine.
  "Tethering.*": { action: "refuse", message: "Ports of the browser's machine are not available" },
};

const PATTERNS = Object.entries(INTERCEPTED_METHODS).map(([method, interception]) => ({
  interception,
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
  const command = parseCommand(frame);
  if (command === undefined) return { interception: UNREADABLE };
  const interception = findInterception(command);
  if (interception === undefined) return { frame: JSON.stringify(command) };
  return {
    interception,
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

function findInterception(command: Command): Interception | undefined {
  const { method } = command;
  if (typeof method !== "string") return undefined;
  if (method === WRAPPER) {
    const inner = wrappedCommand(command.params);
    return inner === undefined ? UNREADABLE : findInterception(inner);
  }
  return PATTERNS.find(({ text, isPrefix }) => (isPrefix ? method.startsWith(text) : method === text))
    ?.interception;
}

function wrappedCommand(params: unknown): Command | undefined {
  if (!isObject(params) || !("message" in params) || typeof params.message !== "string") return undefined;
  return parseCommand(params.message);
}

function parseCommand(text: string): Command | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
