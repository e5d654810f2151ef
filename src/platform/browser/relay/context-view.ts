import { z } from "zod";
import type { MainContext } from "../contexts/main-context.ts";

const TARGET_EVENT_START = '{"method":"Target.';
const TARGET_ANSWERS = ['"targetInfos":[', '{"targetInfo":{'];
const NO_TARGET = { code: -32602, message: "No target with given id found" };

const targetInfoSchema = z.looseObject({
  targetId: z.string(),
  type: z.string(),
  url: z.string(),
  browserContextId: z.string().optional(),
});

const eventSchema = z.looseObject({
  method: z.string(),
  params: z.looseObject({ sessionId: z.string().optional(), targetInfo: targetInfoSchema.optional() }),
  sessionId: z.string().optional(),
});

const listSchema = z.looseObject({ result: z.looseObject({ targetInfos: z.array(targetInfoSchema) }) });
const singleSchema = z.looseObject({ result: z.looseObject({ targetInfo: targetInfoSchema }) });

const sessionFrameSchema = z.object({ sessionId: z.string() });

interface ContextViewOptions {
  mainContext: () => MainContext | undefined;
  isPrivate: (contextId: string) => boolean;
  mayOpen: (url: string) => boolean;
  isSkipped: (targetId: string) => boolean;
  send: (method: string, params: object, sessionId: string | undefined) => void;
}

/** Matches proxy credentials in headers of events and in raw header text, with or without quotes. */
const CREDENTIALS = /(proxy-authorization\\*"?\s*:\s*\\*"?)[^"\\\r\n]*/gi;

/**
 * Filters the browser's frames for one client. It hides Berth's own contexts, the default context if another
 * one replaces it, pages that clients must not control or do not want, and the proxy's credentials.
 */
export class ContextView {
  readonly #options: ContextViewOptions;
  readonly #browserSessions = new Set<string>();
  readonly #hiddenSessions = new Set<string>();
  /** The sessions that the client knows. */
  readonly #sessions = new Map<string, { targetId: string; parent: string | undefined }>();

  constructor(options: ContextViewOptions) {
    this.#options = options;
  }

  isOfBrowser(sessionId: string): boolean {
    return this.#browserSessions.has(sessionId);
  }

  /** Detaches the client from a target. Commands that it sends from now on do not reach the target. */
  hide(targetId: string): void {
    for (const [sessionId, session] of this.#sessions) {
      if (session.targetId === targetId) this.#release(sessionId, session.parent);
    }
  }

  handleFrame(received: string): string | undefined {
    const isProxied = this.#options.mainContext()?.proxy !== undefined;
    const frame = isProxied ? received.replace(CREDENTIALS, "$1") : received;
    if (frame.startsWith(TARGET_EVENT_START)) return this.#handleTargetEvent(frame);
    if (this.#hiddenSessions.size > 0 && this.#isHidden(frame)) return undefined;
    return TARGET_ANSWERS.some((text) => frame.includes(text)) ? this.#filterAnswer(frame) : frame;
  }

  #handleTargetEvent(frame: string): string | undefined {
    const parsed = eventSchema.safeParse(JSON.parse(frame));
    if (!parsed.success) return frame;
    const { method, sessionId: parent, params } = parsed.data;
    const { sessionId = "", targetInfo } = params;
    if (parent !== undefined && this.#hiddenSessions.has(parent)) return undefined;
    if (method === "Target.detachedFromTarget") {
      this.#browserSessions.delete(sessionId);
      const isHidden = this.#hiddenSessions.delete(sessionId);
      return this.#sessions.delete(sessionId) || !isHidden ? frame : undefined;
    }
    if (targetInfo === undefined) return frame;
    const isAttachment = method === "Target.attachedToTarget";
    if (isAttachment && targetInfo.type === "browser") this.#browserSessions.add(sessionId);
    const { targetId } = targetInfo;
    if (!this.#isForeign(targetInfo)) {
      if (isAttachment) this.#sessions.set(sessionId, { targetId, parent });
      return frame;
    }
    if (isAttachment) this.#release(sessionId, parent);
    else this.hide(targetId);
    return undefined;
  }

  /** The client does not see the target, so nothing else would let it start. */
  #release(sessionId: string, parent: string | undefined): void {
    const { send } = this.#options;
    this.#hiddenSessions.add(sessionId);
    send("Runtime.runIfWaitingForDebugger", {}, sessionId);
    send("Target.detachFromTarget", { sessionId }, parent);
  }

  #isHidden(frame: string): boolean {
    const parsed = sessionFrameSchema.safeParse(JSON.parse(frame));
    return parsed.success && this.#hiddenSessions.has(parsed.data.sessionId);
  }

  #filterAnswer(frame: string): string {
    const content: unknown = JSON.parse(frame);
    const single = singleSchema.safeParse(content);
    if (single.success && this.#isForeign(single.data.result.targetInfo)) {
      const { result, ...answer } = single.data;
      return JSON.stringify({ ...answer, error: NO_TARGET });
    }
    const parsed = listSchema.safeParse(content);
    if (!parsed.success) return frame;
    const { result, ...answer } = parsed.data;
    const targetInfos = result.targetInfos.filter((info) => !this.#isForeign(info));
    return JSON.stringify({ ...answer, result: { ...result, targetInfos } });
  }

  #isForeign({ targetId, browserContextId, url }: z.infer<typeof targetInfoSchema>): boolean {
    const { mainContext, isPrivate, mayOpen, isSkipped } = this.#options;
    if (!mayOpen(url) || isSkipped(targetId)) return true;
    if (browserContextId === undefined) return false;
    return browserContextId === mainContext()?.defaultId || isPrivate(browserContextId);
  }
}
