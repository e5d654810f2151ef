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
  const { method, params } = command;
  if (typeof method !== "string") return { command };
  const interception = findInterception(method);
  if (interception !== undefined) return { interception };
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
  if ("interception" in inner) return inner;
  return { command: { ...command, params: { ...params, message: JSON.stringify(inner.command) } } };
}

function findInterception(method: string): Interception | undefined {
  return PATTERNS.find(({ text, isPrefix }) => (isPrefix ? method.startsWith(text) : method === text))
    ?.interception;
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
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
