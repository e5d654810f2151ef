import { pause, resolveWithin } from "../../../lib/common/concurrency.ts";
import type { CDPSession, Connection } from "../../../platform/browser/index.ts";
import { type Checks, differs, type Finding, holds, untried } from "../check.ts";
import type { ProbeContext } from "../context.ts";

const SITE = "https://probe.invalid/";
const OTHER_SITE = "https://other.invalid/";

/** How a page opens targets, by type, which is also their path. */
const OPENERS = {
  page: `open("/page")`,
  iframe: `document.body.append(Object.assign(document.createElement("iframe"), { src: "${OTHER_SITE}iframe" }))`,
  worker: `new Worker("/worker")`,
  shared_worker: `new SharedWorker("/shared_worker")`,
  service_worker: `navigator.serviceWorker.register("/service_worker")`,
} as const;

type TargetType = keyof typeof OPENERS;

/** What a target's first statement reports must have happened before it. */
const PREPARATION = "globalThis.isPrepared = true";
const REPORT = `fetch("${SITE}report?" + location.pathname.slice(1) + "=" + globalThis.isPrepared).catch(() => {});`;

/** Loading also takes time: a target that does not wait must have started by then. */
const HOLD_MS = 1000;

const REPORT_TIMEOUT_MS = 10_000;

export const holdChecks = {
  hold_popups: (context) => tryTypes(context, ["page"]),
  hold_frames: (context) => tryTypes(context, ["iframe"]),
  hold_workers: (context) => tryTypes(context, ["worker", "shared_worker", "service_worker"]),
} satisfies Checks;

/** Prepares new targets, and serves a site by interception. */
async function tryTypes(context: ProbeContext, types: readonly TargetType[]): Promise<Finding> {
  const { connection } = await context.open();
  const reports = new Map(["", ...types].map((type) => [type, Promise.withResolvers<string>()]));
  const readReport = (type: string) =>
    resolveWithin(reports.get(type)?.promise ?? Promise.resolve(""), REPORT_TIMEOUT_MS);
  await serveSite(connection, (type, isPrepared) => reports.get(type)?.resolve(isPrepared));
  const { held, page } = await prepareTargets(connection);
  await connection.send("Target.createTarget", { url: SITE });
  const session = await page;
  if ((await readReport("")) === undefined) return untried("a page did not load by interception");
  for (const type of types) {
    const opening = { expression: OPENERS[type], userGesture: true };
    session.send("Runtime.evaluate", opening).catch(() => undefined);
  }
  const seen: Record<string, string | undefined> = {};
  for (const type of types) {
    const report = await readReport(type);
    // A target that starts slowly looks as if it waits.
    seen[type] = report === "true" && !held.has(type) ? "false" : report;
  }
  return judgeReports(seen);
}

/** @param reports by type; "true": prepared before its first statement. Undefined: it did not start. */
export function judgeReports(reports: Record<string, string | undefined>): Finding {
  const describe = (report: string | undefined) =>
    report === undefined ? "did not start" : report === "true" ? "waited" : "ran at once";
  const text = Object.entries(reports)
    .map(([type, report]) => `${type} ${describe(report)}`)
    .join(", ");
  if (text.includes("ran at once")) return differs(text);
  return text.includes("did not start") ? untried(text) : holds(text);
}

async function serveSite(
  connection: Connection,
  onReport: (type: string, isPrepared: string) => void,
): Promise<void> {
  const { sessionId } = await connection.send("Target.attachToBrowserTarget");
  const session = connection.session(sessionId);
  session?.on("Fetch.requestPaused", ({ requestId, request }) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/report") for (const [type, value] of searchParams) onReport(type, value);
    const isScript = pathname.endsWith("worker");
    const body = isScript
      ? REPORT
      : `<!doctype html><link rel="icon" href="data:,"><body><script>${REPORT}</script>`;
    const responseHeaders = [{ name: "content-type", value: isScript ? "text/javascript" : "text/html" }];
    session
      .send("Fetch.fulfillRequest", { requestId, responseCode: 200, responseHeaders, body: btoa(body) })
      .catch(() => undefined);
  });
  await session?.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
}

/**
 * Prepares targets as AttachedTargets does, but late, so that only a target that waits is prepared in time.
 * Chrome does not hold a page that a command creates.
 *
 * @returns `held`: the types of the targets that wait; `page`: of the site.
 */
async function prepareTargets(
  connection: Connection,
): Promise<{ held: ReadonlySet<string>; page: Promise<CDPSession> }> {
  const held = new Set<string>();
  const page = Promise.withResolvers<CDPSession>();
  const filter = [...Object.keys(OPENERS).map((type) => ({ type })), { exclude: true }];
  const follow = (parent: Connection | CDPSession): Promise<void> => {
    parent.on("Target.attachedToTarget", ({ sessionId, targetInfo: { type, url }, waitingForDebugger }) => {
      const session = connection.session(sessionId);
      if (session === null) return;
      if (waitingForDebugger && url !== SITE) held.add(type);
      pause(HOLD_MS)
        .then(() => prepare(session, type))
        .then(() => url === SITE && page.resolve(session))
        .catch(() => undefined);
    });
    const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter };
    return parent.send("Target.setAutoAttach", attach);
  };
  const prepare = async (session: CDPSession, type: string) => {
    const works: Promise<unknown>[] = ["page", "iframe"].includes(type)
      ? [
          session.send("Page.enable"),
          session.send("Page.addScriptToEvaluateOnNewDocument", { source: PREPARATION }),
          follow(session),
        ]
      : [session.send("Runtime.evaluate", { expression: PREPARATION })];
    works.push(session.send("Runtime.runIfWaitingForDebugger"));
    await Promise.allSettled(works);
  };
  await follow(connection);
  return { held, page: page.promise };
}
