import { z } from "zod";
import { openSocket } from "./api.ts";
import { Listener } from "./sockets.ts";

const responseSchema = z.object({
  id: z.number(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});
const evaluationSchema = z.object({ result: z.object({ value: z.unknown() }) });

const pausedSchema = z.object({
  method: z.literal("Fetch.requestPaused"),
  params: z.object({ requestId: z.string(), request: z.object({ url: z.string() }) }),
});

/** A DevTools client over one socket; `openPage` gives it a page, which `evaluate` needs. */
export class DevTools {
  readonly heard: Listener;
  readonly #socket: WebSocket;
  #pageSession: string | undefined;
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.heard = new Listener(socket);
  }

  static async connect(url: string): Promise<DevTools> {
    return new DevTools(await openSocket(url));
  }

  async send(method: string, params: object = {}, sessionId?: string) {
    this.#id += 1;
    const id = this.#id;
    const responded = Promise.withResolvers<z.infer<typeof responseSchema>>();
    const onMessage = ({ data }: MessageEvent) => {
      const frame = typeof data === "string" && data.startsWith(`{"id":${id},`) ? data : undefined;
      if (frame !== undefined) responded.resolve(responseSchema.parse(JSON.parse(frame)));
    };
    this.#socket.addEventListener("message", onMessage);
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    const response = await responded.promise;
    this.#socket.removeEventListener("message", onMessage);
    return response;
  }

  async openPage(): Promise<string> {
    const created = await this.send("Target.createTarget", { url: "about:blank" });
    const targetId = z.string().parse(created.result?.targetId);
    const attached = await this.send("Target.attachToTarget", { targetId, flatten: true });
    this.#pageSession = z.string().parse(attached.result?.sessionId);
    return targetId;
  }

  /** Pages themselves cannot open data URLs. */
  async navigate(url: string): Promise<void> {
    await this.send("Page.navigate", { url }, this.#pageSession);
  }

  /** Opens an empty page of a secure origin without a network. */
  async openSecurePage(): Promise<void> {
    const url = "https://secure.test/";
    await this.#answer(`${url}*`, () => "", this.#pageSession);
    await this.navigate(url);
  }

  /** Answers the requests of all pages and workers for hosts in `.test`, except those without a body. */
  async serve(bodyOf: (url: URL) => string | undefined): Promise<void> {
    await this.#answer("https://*.test/*", bodyOf);
  }

  async #answer(
    urlPattern: string,
    bodyOf: (url: URL) => string | undefined,
    sessionId?: string,
  ): Promise<void> {
    await this.send("Fetch.enable", { patterns: [{ urlPattern }] }, sessionId);
    this.#socket.addEventListener("message", ({ data }) => {
      // The page may ask for its icon while the client closes.
      if (this.#socket.readyState !== WebSocket.OPEN) return;
      const event = pausedSchema.safeParse(JSON.parse(String(data))).data?.params;
      if (event === undefined) return;
      const url = new URL(event.request.url);
      const body = bodyOf(url);
      if (body === undefined) return;
      const type = url.pathname.endsWith(".js") ? "text/javascript" : "text/html";
      const answer = {
        requestId: event.requestId,
        responseCode: 200,
        responseHeaders: [{ name: "content-type", value: type }],
        body: btoa(body),
      };
      void this.send("Fetch.fulfillRequest", answer, sessionId);
    });
  }

  /** The crashed page never answers. */
  async crash(): Promise<void> {
    await this.send("Page.crash", {}, this.#pageSession);
  }

  async evaluate(expression: string): Promise<unknown> {
    const params = { expression, returnByValue: true, awaitPromise: true };
    const { result } = await this.send("Runtime.evaluate", params, this.#pageSession);
    return evaluationSchema.parse(result).result.value;
  }

  close(): void {
    this.#socket.close(1000);
  }
}
