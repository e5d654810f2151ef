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
  const socket = await openDevToolsSocket(binding, browserId, pageId);
  return new Connection("", new SocketTransport(socket), 0, COMMAND_TIMEOUT_MS);
}

/** Attaches an additional session, which the caller detaches. */
export async function attachSession(connection: Connection, targetId: string): Promise<CDPSession> {
  const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
  const session = connection.session(sessionId);
  if (session === null) throw new Error("The target closed as it was attached to");
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

class SocketTransport implements ConnectionTransport {
  readonly #socket: WebSocket;
  onmessage?: (message: string) => void;
  onclose?: () => void;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") this.onmessage?.(data);
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
}
