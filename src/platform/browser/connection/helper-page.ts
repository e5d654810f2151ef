import type { Protocol } from "devtools-protocol";
import { type PageFunction, toCall } from "../../page-scripts/page-function.ts";
import { attachSession } from "./control-connection.ts";
import type { CDPSession, Connection } from "./puppeteer.ts";

const HIDDEN = { url: "about:blank", hidden: true };

/** Runs work in a page without a tab, hidden from clients, with clipboard and canvas, but never painted. */
export async function withHelperPage<T>(
  connection: Connection,
  work: (page: HelperPage) => Promise<T>,
  browserContextId?: string,
): Promise<T> {
  const { targetId } = await connection.send("Target.createTarget", { ...HIDDEN, browserContextId });
  try {
    const session = await attachSession(connection, targetId);
    await session.send("Emulation.setFocusEmulationEnabled", { enabled: true });
    return await work(new HelperPage(targetId, session));
  } finally {
    await connection.send("Target.closeTarget", { targetId }).catch(() => undefined);
  }
}

const SECURE_PAGE = "https://helper.invalid/";

/** Runs work in a hidden page of a secure origin, as some functions need. No request leaves the browser. */
export function withSecurePage<T>(
  connection: Connection,
  work: (page: HelperPage) => Promise<T>,
  browserContextId: string,
): Promise<T> {
  const visit = async (page: HelperPage) => {
    const { session } = page;
    session.on("Fetch.requestPaused", ({ requestId }) => {
      const response = { requestId, responseCode: 200, body: btoa("<!doctype html>") };
      session.send("Fetch.fulfillRequest", response).catch(() => undefined);
    });
    await session.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
    await session.send("Page.navigate", { url: SECURE_PAGE });
    return work(page);
  };
  return withHelperPage(connection, visit, browserContextId);
}

export class HelperPage {
  readonly id: string;
  readonly session: CDPSession;

  constructor(id: string, session: CDPSession) {
    this.id = id;
    this.session = session;
  }

  async call<A extends unknown[], R>(
    source: PageFunction<(...args: A) => R>,
    ...args: A
  ): Promise<Awaited<R>> {
    const answer = await this.session.send("Runtime.evaluate", {
      expression: toCall(source, ...args),
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    return resultOf(answer).value;
  }

  /** Calls a function whose result is an object that stays in the page. */
  async create<A extends unknown[], R extends Methods<R>>(
    source: PageFunction<(...args: A) => Promise<R>>,
    ...args: A
  ): Promise<PageObject<R>> {
    const expression = toCall(source, ...args);
    const answer = await this.session.send("Runtime.evaluate", { expression, awaitPromise: true });
    return new PageObject(this.session, resultOf(answer).objectId ?? "");
  }
}

type Methods<T> = Record<keyof T, (...args: never) => Promise<unknown>>;

/** An object that stays in a helper page. Arguments and results are JSON. */
export class PageObject<T extends Methods<T>> {
  readonly #session: CDPSession;
  readonly #id: string;

  constructor(session: CDPSession, id: string) {
    this.#session = session;
    this.#id = id;
  }

  /** @throws when the method fails, or the page is gone. */
  async call<Name extends keyof T & string>(
    name: Name,
    ...args: Parameters<T[Name]>
  ): Promise<Awaited<ReturnType<T[Name]>>> {
    const answer = await this.#session.send("Runtime.callFunctionOn", {
      objectId: this.#id,
      functionDeclaration: `function(...args) { return this.${name}(...args); }`,
      arguments: args.map((value) => ({ value })),
      awaitPromise: true,
      returnByValue: true,
    });
    return resultOf(answer).value;
  }
}

function resultOf(answer: Protocol.Runtime.EvaluateResponse): Protocol.Runtime.RemoteObject {
  const { result, exceptionDetails } = answer;
  if (exceptionDetails === undefined) return result;
  throw new Error(`The helper page failed: ${exceptionDetails.exception?.description ?? "unknown"}`);
}
