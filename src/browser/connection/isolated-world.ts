import type { CDPSession } from "./puppeteer.ts";

/** Name of the isolated world that Berth's own scripts in pages run in: pages see none of their variables. */
export const BERTH_WORLD = "berth";

/**
 * Makes a place beside a page's scripts, which can neither see what runs there nor change what it is told.
 *
 * @param frameId of one of the page's frames; a page's main frame has the page's own id.
 * @returns evaluates an expression there; it may be a promise.
 */
export async function isolatedWorld(
  session: CDPSession,
  frameId: string,
): Promise<(expression: string) => Promise<unknown>> {
  const { executionContextId } = await session.send("Page.createIsolatedWorld", {
    frameId,
    worldName: BERTH_WORLD,
  });
  return async (expression) => {
    const { result } = await session.send("Runtime.evaluate", {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
    return result.value;
  };
}

/** Evaluates an expression in an isolated world of the session's page. */
export async function evaluateIsolated(
  session: CDPSession,
  frameId: string,
  expression: string,
): Promise<unknown> {
  const evaluate = await isolatedWorld(session, frameId);
  return evaluate(expression);
}
