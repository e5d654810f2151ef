import { type PageFunction, toCall } from "../../page-scripts/page-function.ts";
import { attachSession } from "./control-connection.ts";
import type { CDPSession, Connection } from "./puppeteer.ts";

const HIDDEN = { url: "about:blank", hidden: true };

/**
 * Runs work in a hidden page, which is neither a tab nor visible to clients. It shares the browser's
 * clipboard and can draw on canvases, but is never painted.
 */
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
