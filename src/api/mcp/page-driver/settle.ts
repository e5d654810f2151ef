import type { Page, Request } from "@cloudflare/playwright";
import { pause, resolveWithin } from "../../../lib/common/concurrency.ts";

/** How long after an action the page may begin to load something, and how long that may take. */
const REACTION_MS = 300;
export const SETTLE_TIMEOUT_MS = 5000;

/** Resolves when a page is idle and has no timer or frame due soon. Chrome grants at most 50 ms at a time. */
const IDLE = `new Promise((resolve) => {
  const end = performance.now() + ${REACTION_MS};
  const check = (idle) => {
    if (idle.timeRemaining() > 40 || performance.now() > end) resolve();
    else requestIdleCallback(check);
  };
  requestIdleCallback(check);
})`;

/** Waits for what an action makes a page do, given the requests since its start. */
export type Reaction = (page: Page, requests: ReadonlySet<Request>) => Promise<void>;

/** Waits, within limits, until the page has loaded what the action caused it to load. */
export async function settle(page: Page, action: () => Promise<unknown>, react: Reaction): Promise<void> {
  const requests = new Set<Request>();
  const add = (request: Request) => requests.add(request);
  page.on("request", add);
  try {
    await action();
    await resolveWithin(react(page, requests).catch(reacting), REACTION_MS);
  } finally {
    page.off("request", add);
  }
  const navigation = [...requests].find((request) => request.isNavigationRequest());
  const loaded =
    navigation === undefined
      ? Promise.all(Array.from(requests, finish))
      : navigation.response().then(() => page.waitForLoadState("load"));
  await resolveWithin<unknown>(loaded, SETTLE_TIMEOUT_MS).catch(() => undefined);
}

async function finish(request: Request): Promise<void> {
  await (await request.response())?.finished();
}

/** Waits until an opened page has loaded everything and has nothing to do, neither now nor soon. */
export async function becomeQuiet(page: Page, requests: ReadonlySet<Request>): Promise<void> {
  for (let known = -1; known < requests.size; ) {
    known = requests.size;
    await page.waitForLoadState("load");
    await Promise.all(Array.from(requests, finish));
    await page.evaluate(IDLE);
  }
}

export function reacting(): Promise<void> {
  return pause(REACTION_MS);
}
