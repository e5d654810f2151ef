import type { CDPSession } from "./puppeteer.ts";

/** Isolated world of Berth's scripts; pages cannot see its variables. */
export const BERTH_WORLD = "berth";

/**
 * Creates an isolated world, which the page's scripts can neither see nor manipulate.
 *
 * @param frameId a page's main frame has the page's id.
 * @returns a function that evaluates an expression and awaits its promise.
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

export async function evaluateIsolated(
  session: CDPSession,
  frameId: string,
  expression: string,
): Promise<unknown> {
  const evaluate = await isolatedWorld(session, frameId);
  return evaluate(expression);
}
