import type { Readable, Writable } from "node:stream";
import type { WebSocket } from "ws";
import { z } from "zod";
import { parseJSON } from "../../../src/lib/common/parse-json.ts";
import { fitMessage } from "./large-messages.ts";

const COMMAND_TIMEOUT_MS = 10_000;

/** Chrome's own limit on what it buffers for a slow client. */
const MAX_BUFFERED_BYTES = 256 * 1024 * 1024;

const MAX_ID = 2 ** 31 - 1;

/** Chrome puts the id or the method first, and the session last. */
const ID = /^\{"id":(\d+)/;
const TARGET_EVENT =
  /^\{"method":"Target\.(attachedToTarget|detachedFromTarget|targetCreated|targetDestroyed)"/;
const HEAD_LENGTH = 48;
const SESSION = /^,"sessionId":"([0-9A-F]{32})"\}$/;
const SESSION_LENGTH = 48;

const SESSION_NOT_FOUND = { code: -32001, message: "Session with given id not found." };
const INVALID_COMMAND = { code: -32600, message: "Message must be a command with an integer id" };

const commandSchema = z.looseObject({ id: z.int(), method: z.string(), sessionId: z.string().optional() });
const activationSchema = z.object({ params: z.object({ targetId: z.string() }) });
const answerSchema = z.object({
  result: z.unknown(),
  error: z.object({ message: z.string() }).optional(),
});
const sessionSchema = z.object({ sessionId: z.string() });
const targetSchema = z.object({ targetId: z.string() });
const aboutTargetSchema = z.object({ targetInfo: targetSchema });
const eventSchema = z.discriminatedUnion("method", [
  z.object({
    method: z.literal("Target.attachedToTarget"),
    params: aboutTargetSchema.extend(sessionSchema.shape),
  }),
  z.object({ method: z.literal("Target.detachedFromTarget"), params: sessionSchema }),
  z.object({ method: z.literal("Target.targetCreated"), params: aboutTargetSchema }),
  z.object({ method: z.literal("Target.targetDestroyed"), params: targetSchema }),
]);
const targetsSchema = z.object({
  targetInfos: z.array(
    targetSchema.extend({
      type: z.string(),
      title: z.string(),
      url: z.string(),
      parentId: z.string().optional(),
      embedderData: z.object({ tabActive: z.boolean().optional() }).optional(),
    }),
  ),
});

export type Target = z.infer<typeof targetsSchema>["targetInfos"][number];

interface Client {
  socket: WebSocket;
  /** Chrome's responses in it go to the client's own connection. */
  session: string;
  /** Ids of its commands that are not answered. */
  pending: Set<number>;
}

/**
 * Shares Chrome's only connection, a pair of pipes, among WebSockets. Each has a session of its own, which
 * behaves like a connection: it has its own state, and what a client attached to ends with it.
 */
export class DevToolsPipe {
  readonly #input: Writable;
  readonly #pending = new Map<number, (answer: Buffer) => void>();
  readonly #sessions = new Map<string, { client: Client; targetId: string | undefined }>();
  /** By page, when it was opened or activated: a count of such events. */
  readonly #activatedAt = new Map<string, number>();
  #activations = 0;
  /** What the last {@link listTargets} found. */
  #listed = { shown: new Set<string>(), at: 0 };
  readonly #pagesOfTabs = new Map<string, string>();
  /** The page that a session of a tab attached to. */
  readonly #attachedPages = new Map<string, string>();
  #lastId = 0;

  constructor(input: Writable, output: Readable) {
    this.#input = input.setMaxListeners(0);
    // When a pipe fails, Chrome has ended.
    for (const pipe of [input, output]) pipe.on("error", () => {});
    let parts: Buffer[] = [];
    output.on("data", (data: Buffer) => {
      let start = 0;
      for (let end = data.indexOf(0); end >= 0; end = data.indexOf(0, start)) {
        this.#receive(Buffer.concat([...parts, data.subarray(start, end)]));
        parts = [];
        start = end + 1;
      }
      parts.push(data.subarray(start));
    });
  }

  /** Sends a command of our own. @throws Error when Chrome refuses it or does not answer. */
  async ask(
    method: string,
    params: object = {},
    { sessionId, timeoutMs = COMMAND_TIMEOUT_MS }: { sessionId?: string; timeoutMs?: number } = {},
  ): Promise<unknown> {
    const id = this.#nextId();
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const timer = setTimeout(
      () => reject(new Error(`${method} was not answered within ${timeoutMs} ms`)),
      timeoutMs,
    );
    this.#pending.set(id, resolve);
    this.#input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    try {
      const { result, error } = answerSchema.parse(JSON.parse(String(await promise)));
      if (error !== undefined) throw new Error(`${method}: ${error.message}`);
      return result;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  /** Waits until Chrome is ready. @throws Error after the given time. */
  async start(timeoutMs: number): Promise<void> {
    const options = { discover: true, filter: [{ type: "page" }] };
    await this.ask("Target.setDiscoverTargets", options, { timeoutMs });
  }

  /** Opens a session for a client: of the browser, or of one page. @throws Error for an unknown page. */
  async attach(targetId?: string): Promise<string> {
    const attached =
      targetId === undefined
        ? await this.ask("Target.attachToBrowserTarget")
        : await this.ask("Target.attachToTarget", { targetId, flatten: true });
    return sessionSchema.parse(attached).sessionId;
  }

  async detach(sessionId: string): Promise<void> {
    // It has ended if its target has.
    await this.ask("Target.detachFromTarget", { sessionId }).catch(() => undefined);
  }

  /** Connects a client to its session. The caller detaches the session after the socket has closed. */
  serve(socket: WebSocket, session: string, targetId?: string): void {
    const client: Client = { socket, session, pending: new Set() };
    this.#sessions.set(session, { client, targetId });
    socket.on("message", (data) => this.#forward(client, String(data)));
    // "close" follows.
    socket.on("error", () => {});
    socket.on("close", () => {
      for (const id of client.pending) this.#pending.delete(id);
      for (const [id, entry] of this.#sessions) if (entry.client === client) this.#sessions.delete(id);
    });
  }

  end(): void {
    for (const { client } of this.#sessions.values()) client.socket.terminate();
  }

  /** All targets. Pages in front of their windows come first, each group by when it was shown last. */
  async listTargets(): Promise<Target[]> {
    const { targetInfos } = targetsSchema.parse(await this.ask("Target.getTargets", { filter: [{}] }));
    const activeTabs = targetInfos.filter(({ embedderData }) => embedderData?.tabActive === true);
    const shown = new Set(await Promise.all(activeTabs.map(({ targetId }) => this.#pageOf(targetId))));
    for (const id of shown) {
      // Chrome shows another tab when the one in front closes.
      const wasActivated = (this.#activatedAt.get(id) ?? 0) > this.#listed.at;
      if (!this.#listed.shown.has(id) && !wasActivated) this.#noteActivation(id);
    }
    this.#listed = { shown, at: this.#activations };
    const rank = ({ targetId }: Target) =>
      (this.#activatedAt.get(targetId) ?? 0) + (shown.has(targetId) ? this.#activations : 0);
    return targetInfos
      .filter(({ type }) => type !== "tab" && type !== "browser")
      .sort((one, other) => rank(other) - rank(one));
  }

  /** The page of a tab. Chrome reveals it only to clients attached to the tab. */
  async #pageOf(tab: string): Promise<string> {
    const known = this.#pagesOfTabs.get(tab);
    if (known !== undefined) return known;
    const session = await this.attach(tab);
    const filter = [{ type: "page" }];
    const options = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter };
    await this.ask("Target.setAutoAttach", options, { sessionId: session });
    const page = this.#attachedPages.get(session) ?? tab;
    this.#attachedPages.delete(session);
    this.#pagesOfTabs.set(tab, page);
    await this.detach(session);
    return page;
  }

  #noteActivation(page: string | undefined): void {
    if (page === undefined) return;
    this.#activations += 1;
    this.#activatedAt.set(page, this.#activations);
  }

  #nextId(): number {
    this.#lastId = (this.#lastId % MAX_ID) + 1;
    return this.#lastId;
  }

  #forward(client: Client, text: string): void {
    // Parsed and serialized again, so that no command can contain another or name a session in a second way.
    const command = commandSchema.safeParse(parseJSON(text)).data;
    if (command === undefined) {
      client.socket.send(JSON.stringify({ error: INVALID_COMMAND }));
      return;
    }
    const { id, method, sessionId = client.session } = command;
    const session = this.#sessions.get(sessionId);
    if (session?.client !== client) {
      client.socket.send(JSON.stringify({ id, error: SESSION_NOT_FOUND }));
      return;
    }
    const ownId = this.#nextId();
    const frame = serialize({ ...command, id: ownId, sessionId });
    if (frame === undefined) {
      client.socket.send(JSON.stringify({ id, error: INVALID_COMMAND }));
      return;
    }
    if (method === "Page.bringToFront") this.#noteActivation(session.targetId);
    if (method === "Target.activateTarget")
      this.#noteActivation(activationSchema.safeParse(command).data?.params.targetId);
    client.pending.add(ownId);
    this.#pending.set(ownId, (answer) => {
      client.pending.delete(ownId);
      const rest = answer.subarray(`{"id":${ownId}`.length);
      this.#deliver(client, Buffer.concat([Buffer.from(`{"id":${id}`), rest]), method);
    });
    if (this.#input.write(`${frame}\0`)) return;
    client.socket.pause();
    this.#input.once("drain", () => client.socket.resume());
  }

  #receive(message: Buffer): void {
    const head = message.toString("latin1", 0, HEAD_LENGTH);
    const id = Number(ID.exec(head)?.[1]);
    const session = sessionOf(message);
    const client = session === undefined ? undefined : this.#sessions.get(session)?.client;
    if (TARGET_EVENT.test(head)) this.#noteTarget(message, session, client);
    if (!Number.isNaN(id)) {
      const answer = this.#pending.get(id);
      this.#pending.delete(id);
      answer?.(message);
    } else if (client !== undefined) {
      this.#deliver(client, message);
    }
  }

  /** @param session in which Chrome reported the event; absent: on the connection itself. */
  #noteTarget(message: Buffer, session: string | undefined, client: Client | undefined): void {
    const { method, params } = eventSchema.parse(JSON.parse(String(message)));
    if (method === "Target.attachedToTarget") {
      const { targetId } = params.targetInfo;
      if (client !== undefined) this.#sessions.set(params.sessionId, { client, targetId });
      else if (session !== undefined) this.#attachedPages.set(session, targetId);
    } else if (method === "Target.detachedFromTarget") {
      const ended = this.#sessions.get(params.sessionId)?.client;
      this.#sessions.delete(params.sessionId);
      if (ended?.session === params.sessionId) ended.socket.terminate();
    } else if (session === undefined) {
      if (method === "Target.targetCreated") this.#noteActivation(params.targetInfo.targetId);
      else this.#activatedAt.delete(params.targetId);
    }
  }

  /** @param command the method of the command that the message answers. */
  #deliver({ socket, session }: Client, received: Buffer, command?: string): void {
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate();
    const message = fitMessage(received, { sessionId: sessionOf(received), command });
    if (sessionOf(message) !== session) {
      socket.send(message, { binary: false });
      return;
    }
    const end = message.length - SESSION_LENGTH;
    message.write("}", end);
    socket.send(message.subarray(0, end + 1), { binary: false });
  }
}

/** The session that a message of Chrome belongs to. */
function sessionOf(message: Buffer): string | undefined {
  return SESSION.exec(message.toString("latin1", Math.max(0, message.length - SESSION_LENGTH)))?.[1];
}

/** @returns undefined for a command nested too deeply for JSON.stringify; JSON.parse reads any depth. */
function serialize(command: object): string | undefined {
  try {
    return JSON.stringify(command);
  } catch {
    return undefined;
  }
}
