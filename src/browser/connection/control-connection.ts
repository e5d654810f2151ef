import { openDevToolsSocket } from "./binding.ts";
import { type CDPSession, Connection, type ConnectionTransport, ProtocolError } from "./puppeteer.ts";

const COMMAND_TIMEOUT_MS = 15_000;

/**
 * Opens Berth's own connection to a browser: Puppeteer's protocol layer without its `Browser` above it, which
 * would attach to every page and hold each new one until it has looked at it.
 *
 * @throws BrowserUnavailableError when the browser is gone.
 */
export async function openControlConnection(binding: BrowserRun, browserId: string): Promise<Connection> {
  const socket = await openDevToolsSocket(binding, browserId);
  return new Connection("", new SocketTransport(socket), 0, COMMAND_TIMEOUT_MS);
}

/** Attaches one more session to a target, beside those that are there; whoever asks detaches it. */
export async function attachSession(connection: Connection, targetId: string): Promise<CDPSession> {
  const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
  const session = connection.session(sessionId);
  if (session === null) throw new Error("The target closed as it was attached to");
  return session;
}

/** What the browser said as it refused a command; undefined of errors that are no answers of its. */
export function refusalOf(error: unknown): string | undefined {
  // Puppeteer has the same class for commands that time out and for connections that end.
  return (error instanceof ProtocolError && error.originalMessage) || undefined;
}

/** Whether the browser refused a command because it does not know it: it is too old, or the target of another kind. */
export function isUnknownCommand(error: unknown): boolean {
  // The error's code, which would tell, Puppeteer leaves out.
  return refusalOf(error)?.endsWith("wasn't found") ?? false;
}

/** Puppeteer's idea of a transport over an accepted WebSocket. */
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
      // It broke without an event so far. Whoever waits for answers is told by the end of the connection.
      this.onclose?.();
    }
  }

  close(): void {
    this.#socket.close(1000);
  }
}
