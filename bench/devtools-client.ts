import { WebSocket } from "ws";
import { z } from "zod";

const answerSchema = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});
const createdSchema = z.object({ targetId: z.string() });
const attachedSchema = z.object({ sessionId: z.string() });

/** The least that speaks the DevTools protocol: the same on both sides of a comparison. */
export class DevToolsClient {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #pageSession: string | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#receive(String(data)));
    socket.on("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("The connection closed"));
    });
  }

  static async connect(url: string): Promise<DevToolsClient> {
    const socket = new WebSocket(url, { maxPayload: 0, perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return new DevToolsClient(socket);
  }

  /** Opens a page that {@link evaluate} runs in. */
  async openPage(): Promise<void> {
    const { targetId } = createdSchema.parse(await this.send("Target.createTarget", { url: "about:blank" }));
    const attached = await this.send("Target.attachToTarget", { targetId, flatten: true });
    this.#pageSession = attachedSchema.parse(attached).sessionId;
  }

  evaluate(expression: string): Promise<unknown> {
    return this.send("Runtime.evaluate", { expression, returnByValue: true }, this.#pageSession);
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<unknown> {
    this.#lastId += 1;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#lastId, answer);
    this.#socket.send(JSON.stringify({ id: this.#lastId, method, params, sessionId }));
    return answer.promise;
  }

  close(): void {
    this.#socket.close();
  }

  #receive(text: string): void {
    if (!text.startsWith('{"id":')) return;
    const { id, result, error } = answerSchema.parse(JSON.parse(text));
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error(error.message));
  }
}
