import { z } from "zod";
import type { MainContext } from "../contexts/main-context.ts";

const TARGET_EVENT_START = '{"method":"Target.';
const TARGET_LIST = '"targetInfos":[';

const targetInfoSchema = z.looseObject({ type: z.string(), browserContextId: z.string().optional() });

const eventSchema = z.looseObject({
  method: z.string(),
  params: z.looseObject({ sessionId: z.string().optional(), targetInfo: targetInfoSchema.optional() }),
  sessionId: z.string().optional(),
});

const listSchema = z.looseObject({ result: z.looseObject({ targetInfos: z.array(targetInfoSchema) }) });

const sessionFrameSchema = z.object({ sessionId: z.string() });

interface ContextViewOptions {
  mainContext: () => MainContext | undefined;
  isPrivate: (contextId: string) => boolean;
  send: (method: string, params: object, sessionId: string | undefined) => void;
}

/** Matches proxy credentials in headers of events and in raw header text, with or without quotes. */
const CREDENTIALS = /(proxy-authorization\\*"?\s*:\s*\\*"?)[^"\\\r\n]*/gi;

/**
 * Filters the browser's frames for one client. It hides Berth's own contexts, the default context if another
 * one replaces it, and the proxy's credentials.
 */
export class ContextView {
  readonly #options: ContextViewOptions;
  readonly #browserSessions = new Set<string>();
  readonly #hiddenSessions = new Set<string>();

  constructor(options: ContextViewOptions) {
    this.#options = options;
  }

  isOfBrowser(sessionId: string): boolean {
    return this.#browserSessions.has(sessionId);
  }

  handleFrame(received: string): string | undefined {
    const isProxied = this.#options.mainContext()?.proxy !== undefined;
    const frame = isProxied ? received.replace(CREDENTIALS, "$1") : received;
    if (frame.startsWith(TARGET_EVENT_START)) return this.#handleTargetEvent(frame);
    if (this.#hiddenSessions.size > 0 && this.#isHidden(frame)) return undefined;
    return frame.includes(TARGET_LIST) ? this.#filterList(frame) : frame;
  }

  #handleTargetEvent(frame: string): string | undefined {
    const parsed = eventSchema.safeParse(JSON.parse(frame));
    if (!parsed.success) return frame;
    const { method, sessionId: parent, params } = parsed.data;
    const { sessionId = "", targetInfo } = params;
    if (parent !== undefined && this.#hiddenSessions.has(parent)) return undefined;
    if (method === "Target.detachedFromTarget") {
      this.#browserSessions.delete(sessionId);
      return this.#hiddenSessions.delete(sessionId) ? undefined : frame;
    }
    if (targetInfo === undefined) return frame;
    const isAttachment = method === "Target.attachedToTarget";
    if (isAttachment && targetInfo.type === "browser") this.#browserSessions.add(sessionId);
    if (!this.#isForeign(targetInfo)) return frame;
    if (isAttachment) this.#release(sessionId, parent);
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

  #filterList(frame: string): string {
    const parsed = listSchema.safeParse(JSON.parse(frame));
    if (!parsed.success) return frame;
    const { result, ...answer } = parsed.data;
    const targetInfos = result.targetInfos.filter((info) => !this.#isForeign(info));
    return JSON.stringify({ ...answer, result: { ...result, targetInfos } });
  }

  #isForeign({ browserContextId }: z.infer<typeof targetInfoSchema>): boolean {
    const { mainContext, isPrivate } = this.#options;
    if (browserContextId === undefined) return false;
    return browserContextId === mainContext()?.defaultId || isPrivate(browserContextId);
  }
}
