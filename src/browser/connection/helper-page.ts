import { type PageFunction, toCall } from "../../page-scripts/page-function.ts";
import { attachSession } from "./control-connection.ts";
import type { CDPSession, Connection } from "./puppeteer.ts";

/** The protocol's types, which Puppeteer pins, do not know `hidden` yet. */
const HIDDEN = { url: "about:blank", hidden: true };

/**
 * Does work in a page of Berth's own that nobody sees: a hidden target takes no place among the tabs, leaves the
 * one in front where it is, and is no page to clients, who are told of a target of type `other`. It shares the
 * browser's clipboard, and draws on canvases, but is never painted itself.
 *
 * @param browserContextId of the context that the page is to be in; the browser's default one when absent.
 */
export async function withHelperPage<T>(
  connection: Connection,
  work: (page: HelperPage) => Promise<T>,
  browserContextId?: string,
): Promise<T> {
  const { targetId } = await connection.send("Target.createTarget", { ...HIDDEN, browserContextId });
  try {
    const session = await attachSession(connection, targetId);
    // Copying is for pages that have the focus.
    await session.send("Emulation.setFocusEmulationEnabled", { enabled: true });
    return await work(new HelperPage(targetId, session));
  } finally {
    await connection.send("Target.closeTarget", { targetId }).catch(() => undefined);
  }
}

/** The page of {@link withHelperPage}. */
export class HelperPage {
  /** Of the page, and of its frame. */
  readonly id: string;
  readonly session: CDPSession;

  constructor(id: string, session: CDPSession) {
    this.id = id;
    this.session = session;
  }

  /** Calls a function in the page. Arguments and result are sent as JSON. */
  async call<A extends unknown[], R>(
    source: PageFunction<(...args: A) => R>,
    ...args: A
  ): Promise<Awaited<R>> {
    const { result, exceptionDetails } = await this.session.send("Runtime.evaluate", {
      expression: toCall(source, ...args),
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails !== undefined) {
      throw new Error(`The helper page failed: ${exceptionDetails.exception?.description ?? "unknown"}`);
    }
    return result.value;
  }
}
