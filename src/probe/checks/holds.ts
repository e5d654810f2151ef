import type { CDPSession, Connection, TargetInfo } from "../../browser/index.ts";
import { pause, resolveWithin } from "../../common/concurrency.ts";
import { differs, type Finding, holds, untried } from "../check.ts";
import type { ProbeContext } from "../context.ts";

const SITE = "https://probe.invalid/";
const OTHER_SITE = "https://other.invalid/";

/** How a page opens each kind of target. Its path is the kind. */
const OPENERS = {
  popup: `open("/popup")`,
  frame: `document.body.append(Object.assign(document.createElement("iframe"), { src: "${OTHER_SITE}frame" }))`,
  worker: `new Worker("/worker")`,
  shared_worker: `new SharedWorker("/shared_worker")`,
  service_worker: `navigator.serviceWorker.register("/service_worker")`,
} as const;

type Kind = keyof typeof OPENERS;

const TYPES: Record<Kind, string> = {
  popup: "page",
  frame: "iframe",
  worker: "worker",
  shared_worker: "shared_worker",
  service_worker: "service_worker",
};
const DOCUMENT_TYPES: readonly string[] = [TYPES.popup, TYPES.frame];

/** What a target's first statement reports must have happened before it. */
const PREPARATION = "globalThis.isPrepared = true";
const REPORT = `fetch("${SITE}report?" + location.pathname.slice(1) + "=" + globalThis.isPrepared).catch(() => {});`;

/** Loading takes time, too: a target that does not wait must have begun by then. */
const HOLD_MS = 1000;

const REPORT_TIMEOUT_MS = 10_000;

export const tryPopups = (context: ProbeContext) => tryKinds(context, ["popup"]);
export const tryFrames = (context: ProbeContext) => tryKinds(context, ["frame"]);
export const tryWorkers = (context: ProbeContext) =>
  tryKinds(context, ["worker", "shared_worker", "service_worker"]);

/** Prepares new targets, and serves a site by interception. */
async function tryKinds(context: ProbeContext, kinds: readonly Kind[]): Promise<Finding> {
  const { connection } = await context.open();
  const loaded = Promise.withResolvers<string>();
  const reports = new Map(kinds.map((kind) => [kind, Promise.withResolvers<string>()]));
  await serveSite(connection, (kind, isPrepared) => {
    if (kind === "") loaded.resolve(isPrepared);
    for (const [name, { resolve }] of reports) if (name === kind) resolve(isPrepared);
  });
  const prepared = Promise.withResolvers<CDPSession>();
  const held = new Set<string>();
  await prepareTargets(connection, held, ({ url }, session) => {
    if (url === SITE) prepared.resolve(session);
  });
  await connection.send("Target.createTarget", { url: SITE });
  const page = await prepared.promise;
  if ((await resolveWithin(loaded.promise, REPORT_TIMEOUT_MS)) === undefined)
    return differs("Fetch.enable of the browser does not intercept requests of pages");
  const seen: Record<string, string | undefined> = {};
  for (const [kind, { promise }] of reports) {
    const opening = { expression: OPENERS[kind], userGesture: true };
    page.send("Runtime.evaluate", opening).catch(() => undefined);
    const report = await resolveWithin(promise, REPORT_TIMEOUT_MS);
    // A target that starts slowly seems to wait.
    seen[kind] = report === "true" && !held.has(TYPES[kind]) ? "false" : report;
  }
  return judgeReports(seen);
}

/** @param reports by kind; "true": it was prepared before its first statement. Undefined: it did not start. */
export function judgeReports(reports: Record<string, string | undefined>): Finding {
  const all = Object.entries(reports);
  const describe = (kind: string, report = "nothing") =>
    `${kind} ${report === "true" ? "waited" : report === "nothing" ? "did not start" : "ran at once"}`;
  const text = all.map(([kind, report]) => describe(kind, report)).join(", ");
  if (all.some(([, report]) => report !== undefined && report !== "true")) return differs(text);
  return all.every(([, report]) => report === "true") ? holds(text) : untried(text);
}

async function serveSite(
  connection: Connection,
  onReport: (kind: string, isPrepared: string) => void,
): Promise<void> {
  const { sessionId } = await connection.send("Target.attachToBrowserTarget");
  const session = connection.session(sessionId);
  session?.on("Fetch.requestPaused", ({ requestId, request }) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/report") for (const [kind, value] of searchParams) onReport(kind, value);
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
 * As AttachedTargets does, but late, so that only a target that waits is prepared in time. Chrome does not hold a page
 * that a command creates.
 *
 * @param held gets the types of the other targets that wait.
 */
async function prepareTargets(
  connection: Connection,
  held: Set<string>,
  onPrepared: (target: TargetInfo, session: CDPSession) => void,
): Promise<void> {
  const filter = [...Object.values(TYPES).map((type) => ({ type })), { exclude: true }];
  const follow = (parent: Connection | CDPSession): Promise<void> => {
    parent.on("Target.attachedToTarget", ({ sessionId, targetInfo, waitingForDebugger }) => {
      const session = connection.session(sessionId);
      if (session === null) return;
      if (waitingForDebugger && targetInfo.url !== SITE) held.add(targetInfo.type);
      pause(HOLD_MS)
        .then(() => prepare(session, targetInfo.type))
        .then(() => onPrepared(targetInfo, session))
        .catch(() => undefined);
    });
    const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter };
    return parent.send("Target.setAutoAttach", attach);
  };
  const prepare = async (session: CDPSession, type: string) => {
    const works: Promise<unknown>[] = DOCUMENT_TYPES.includes(type)
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
}
