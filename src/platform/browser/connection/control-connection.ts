import { type BrowserBinding, openDevToolsSocket } from "./binding.ts";
import { type CDPSession, Connection, type ConnectionTransport, ProtocolError } from "./puppeteer.ts";

const COMMAND_TIMEOUT_MS = 15_000;

/**
 * Opens Berth's own connection, without Puppeteer's `Browser`: that would attach to every page and hold new
 * ones.
 *
 * @param pageId connects to a page instead of the browser.
 * @throws BrowserUnavailableError when the browser is gone.
 */
export async function openControlConnection(
  binding: BrowserBinding,
  browserId: string,
  pageId?: string,
): Promise<Connection> {
  const transport = new SocketTransport(await openDevToolsSocket(binding, browserId, pageId));
  const connection = new Connection("", transport, 0, COMMAND_TIMEOUT_MS);
  transports.set(connection, transport);
  return connection;
}

const transports = new WeakMap<Connection, SocketTransport>();

/** Events that are dropped unparsed until the filter ends. */
export interface DroppedEvents {
  end(): void;
}

/**
 * Drops the events of a session on Berth's own connection before they are parsed, because parsing costs more
 * than it costs a page to send them.
 *
 * @param methods with their start, such as `Network.`.
 */
export function dropEvents(session: CDPSession, methods: readonly string[]): DroppedEvents {
  const connection = session.connection();
  const prefixes = methods.map((method) => `{"method":"${method}`);
  return (connection && transports.get(connection)?.drop(session.id(), prefixes)) ?? { end: () => undefined };
}

/** Attaches an additional session, which the caller detaches. */
export async function attachSession(connection: Connection, targetId: string): Promise<CDPSession> {
  const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
  const session = connection.session(sessionId);
  if (session === null) throw new Error("The target closed while Berth attached to it");
  return session;
}

/** @returns the browser's message if it refused a command; undefined for other errors. */
export function refusalOf(error: unknown): string | undefined {
  // Puppeteer uses this class for time-outs and lost connections too.
  return (error instanceof ProtocolError && error.originalMessage) || undefined;
}

export function isUnknownCommand(error: unknown): boolean {
  return refusalOf(error)?.endsWith("wasn't found") ?? false;
}

export async function orUndefinedIfRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return undefined;
  }
}

/** How Chrome ends the frames of a session. */
const SESSION_FIELD = '"sessionId":"';

class SocketTransport implements ConnectionTransport {
  readonly #socket: WebSocket;
  /** By session, the starts of frames. */
  readonly #dropped = new Map<string, Set<readonly string[]>>();
  onmessage?: (message: string) => void;
  onclose?: () => void;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string" && !this.#isDropped(data)) this.onmessage?.(data);
    });
    socket.addEventListener("close", () => this.onclose?.());
    socket.addEventListener("error", () => this.onclose?.());
  }

  send(message: string): void {
    try {
      this.#socket.send(message);
    } catch {
      this.onclose?.();
    }
  }

  close(): void {
    this.#socket.close(1000);
  }

  drop(sessionId: string, prefixes: readonly string[]): DroppedEvents {
    const ofSession = this.#dropped.get(sessionId) ?? new Set();
    this.#dropped.set(sessionId, ofSession.add(prefixes));
    return {
      end: () => {
        if (ofSession.delete(prefixes) && ofSession.size === 0) this.#dropped.delete(sessionId);
      },
    };
  }

  #isDropped(frame: string): boolean {
    if (this.#dropped.size === 0) return false;
    const sessionId = frame.slice(frame.lastIndexOf(SESSION_FIELD) + SESSION_FIELD.length, -2);
    const starts = [...(this.#dropped.get(sessionId) ?? [])].flat();
    return starts.some((start) => frame.startsWith(start));
  }
}
