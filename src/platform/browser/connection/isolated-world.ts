import type { CDPSession } from "./puppeteer.ts";

/** Isolated world of Berth's scripts; pages cannot see its variables. */
export const BERTH_WORLD = "berth";

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
