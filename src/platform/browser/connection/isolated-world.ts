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

/** Runs a script in Berth's world of each document, beginning with the present one. */
export function addIsolatedScript(session: CDPSession, source: string) {
  const script = { source, worldName: BERTH_WORLD, runImmediately: true };
  return session.send("Page.addScriptToEvaluateOnNewDocument", script);
}
