import { once } from "node:events";
import { text } from "node:stream/consumers";
import WebSocket, { type ClientOptions } from "ws";
import { z } from "zod";

const COMMAND_TIMEOUT_MS = 90_000;

const frameSchema = z.object({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
  sessionId: z.string().optional(),
});

type Frame = z.infer<typeof frameSchema>;

const attachedSchema = z.object({ sessionId: z.string() });
const targetsSchema = z.object({
  targetInfos: z.array(z.object({ targetId: z.string(), type: z.string(), url: z.string() })),
});
const evaluatedSchema = z.union([
  z.object({ exceptionDetails: z.object({ text: z.string() }) }),
  z.object({ result: z.object({ value: z.unknown() }) }),
]);

/** The browser responded to a command with an error. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** The connection closed before the response to a command. */
export class ConnectionClosed extends Error {
  override readonly name = "ConnectionClosed";
}

export interface CloseInfo {
  code: number;
  reason: string;
}

/** A DevTools client over a bare WebSocket, so that tests control every frame. */
export class DevToolsClient implements Disposable {
  readonly socket: WebSocket;
  /** Resolves when the connection closes. */
  readonly closed: Promise<CloseInfo>;
  readonly #pending = new Map<number, PromiseWithResolvers<Frame>>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => {
        resolve({ code, reason: reason.toString() });
        for (const { reject } of this.#pending.values()) reject(new ConnectionClosed(`closed with ${code}`));
        this.#pending.clear();
      });
    });
    // An error is always followed by a close.
    socket.on("error", () => {});
    socket.on("message", (data) => this.#receive(frameSchema.parse(JSON.parse(data.toString()))));
  }

  static async connect(url: string, options: ClientOptions = {}): Promise<DevToolsClient> {
    const socket = new WebSocket(url, { perMessageDeflate: false, ...options });
    const client = new DevToolsClient(socket);
    await once(socket, "open");
    return client;
  }

  /** @throws ProtocolError, ConnectionClosed */
  async send(
    method: string,
    params: Record<string, unknown> = {},
    sessionId?: string,
  ): Promise<Record<string, unknown>> {
    if (this.socket.readyState !== WebSocket.OPEN) throw new ConnectionClosed("The connection is not open");
    this.#lastId += 1;
    const id = this.#lastId;
    const response = Promise.withResolvers<Frame>();
    this.#pending.set(id, response);
    const timer = setTimeout(() => {
      response.reject(
        new Error(`${method} got neither a response nor a close within ${COMMAND_TIMEOUT_MS} ms`),
      );
    }, COMMAND_TIMEOUT_MS);
    this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    try {
      const { result, error } = await response.promise;
      if (error !== undefined) throw new ProtocolError(`${error.code} ${error.message}`);
      return result ?? {};
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  /** Attaches to a page, by default the first. @returns the id of the CDP session. */
  async attach(targetId?: string): Promise<string> {
    const target = targetId ?? (await this.pages())[0]?.targetId;
    const attached = await this.send("Target.attachToTarget", { targetId: target, flatten: true });
    return attachedSchema.parse(attached).sessionId;
  }

  async pages(): Promise<{ targetId: string; url: string }[]> {
    const { targetInfos } = targetsSchema.parse(await this.send("Target.getTargets"));
    return targetInfos.filter(({ type }) => type === "page");
  }

  async evaluate(expression: string, sessionId?: string): Promise<unknown> {
    const evaluated = await this.send("Runtime.evaluate", { expression, returnByValue: true }, sessionId);
    const outcome = evaluatedSchema.parse(evaluated);
    if ("exceptionDetails" in outcome) throw new ProtocolError(outcome.exceptionDetails.text);
    return outcome.result.value;
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }

  #receive(frame: Frame): void {
    if (frame.id !== undefined) this.#pending.get(frame.id)?.resolve(frame);
  }
}

export interface UpgradeResponse {
  status: number;
  body: unknown;
}

/** Returns the response to a rejected upgrade. @throws when the upgrade succeeds. */
export async function readUpgradeError(url: string): Promise<UpgradeResponse> {
  const socket = new WebSocket(url);
  const refused = Promise.withResolvers<UpgradeResponse>();
  socket.on("open", () => {
    socket.terminate();
    refused.reject(new Error("The upgrade was accepted"));
  });
  socket.on("error", refused.reject);
  socket.on("unexpected-response", (_, response) => {
    text(response).then(
      (body) => refused.resolve({ status: response.statusCode ?? 0, body: JSON.parse(body) }),
      refused.reject,
    );
  });
  return refused.promise;
}
