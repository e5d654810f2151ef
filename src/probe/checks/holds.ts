import { AttachedTargets, type Connection } from "../../browser/index.ts";
import { resolveWithin } from "../../common/concurrency.ts";
import { type Check, differs, type Finding, holds, untried } from "../check.ts";
import type { ProbeContext } from "../context.ts";

const SITE = "https://probe.invalid/";
const OTHER_SITE = "https://other.invalid/";

/** Each kind reports, with its first statement, whether its preparation came earlier. */
const REPORT = `fetch("${SITE}seen?kind=KIND&early=" + (globalThis.berthProbe === true)).catch(() => {});`;

const OPENERS = {
  popup: `open("/popup")`,
  frame: `document.body.append(Object.assign(document.createElement("iframe"), { src: "${OTHER_SITE}frame" }))`,
  worker: `new Worker("/worker.js")`,
  shared_worker: `new SharedWorker("/shared_worker.js")`,
  service_worker: `navigator.serviceWorker.register("/service_worker.js")`,
} as const;

type Kind = keyof typeof OPENERS;

const TYPES = ["page", "iframe", "worker", "shared_worker", "service_worker"];
const DOCUMENT_TYPES = ["page", "iframe"];

const PREPARATION = "globalThis.berthProbe = true";

const REPORT_TIMEOUT_MS = 10_000;

export const holdChecks: Check[] = [
  { name: "hold_popups", limitMs: 60_000, run: (context) => tryHolds(context, ["popup"]) },
  { name: "hold_frames", limitMs: 60_000, run: (context) => tryHolds(context, ["frame"]) },
  {
    name: "hold_workers",
    limitMs: 90_000,
    run: (context) => tryHolds(context, ["worker", "shared_worker", "service_worker"]),
  },
];

/** Attaches to new targets as sessions with stealth do, and serves a site by interception. */
async function tryHolds(context: ProbeContext, kinds: readonly Kind[]): Promise<Finding> {
  const { connection } = await context.open();
  const reports = new Map(kinds.map((kind) => [kind, Promise.withResolvers<boolean>()]));
  const loaded = Promise.withResolvers<true>();
  await serveSite(connection, (url) => {
    if (url.pathname !== "/seen") return;
    loaded.resolve(true);
    for (const [kind, { resolve }] of reports) {
      if (url.searchParams.get("kind") === kind) resolve(url.searchParams.get("early") === "true");
    }
  });
  await prepareTargets(connection);
  const { sessionId } = await openPage(connection);
  if ((await resolveWithin(loaded.promise, REPORT_TIMEOUT_MS)) === undefined)
    return differs("requests of pages are not intercepted by Fetch.enable of the browser");
  const seen: Record<string, boolean | undefined> = {};
  for (const [kind, { promise }] of reports) {
    const opening = { expression: OPENERS[kind], userGesture: true };
    connection
      .session(sessionId)
      ?.send("Runtime.evaluate", opening)
      .catch(() => undefined);
    seen[kind] = await resolveWithin(promise, REPORT_TIMEOUT_MS);
  }
  return judgeHolds(seen);
}

/** @param seen whether each kind was prepared before its first statement; undefined: it did not start. */
export function judgeHolds(seen: Record<string, boolean | undefined>): Finding {
  const words = Object.entries(seen).map(([kind, early]) =>
    early === undefined
      ? `${kind} did not report`
      : `${kind} ${early ? "waited" : "ran before it was prepared"}`,
  );
  const text = words.join(", ");
  if (Object.values(seen).includes(false)) return differs(text);
  return Object.values(seen).includes(undefined) ? untried(text) : holds(text);
}

async function serveSite(connection: Connection, onRequest: (url: URL) => void): Promise<void> {
  const { sessionId } = await connection.send("Target.attachToBrowserTarget");
  const session = connection.session(sessionId);
  session?.on("Fetch.requestPaused", ({ requestId, request }) => {
    const url = new URL(request.url);
    onRequest(url);
    const isScript = url.pathname.endsWith(".js");
    const report = REPORT.replace("KIND", url.pathname.slice(1).replace(".js", ""));
    const document = `<!doctype html><link rel="icon" href="data:,"><body><script>${report}</script>`;
    const type = isScript ? "text/javascript" : "text/html";
    const answer = { requestId, responseCode: 200, responseHeaders: [{ name: "content-type", value: type }] };
    session
      .send("Fetch.fulfillRequest", { ...answer, body: btoa(isScript ? report : document) })
      .catch(() => undefined);
  });
  await session?.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
}

async function prepareTargets(connection: Connection): Promise<void> {
  const targets = new AttachedTargets(connection, (session, { type }) => {
    const isDocument = DOCUMENT_TYPES.includes(type);
    const below = type === "shared_worker" || type === "service_worker" ? [] : TYPES;
    const works: Promise<unknown>[] = isDocument
      ? [
          session.send("Page.enable"),
          session.send("Page.addScriptToEvaluateOnNewDocument", { source: PREPARATION }),
        ]
      : [session.send("Runtime.evaluate", { expression: PREPARATION })];
    // A service worker answers only once it runs.
    if (type === "service_worker") works.push(session.send("Runtime.runIfWaitingForDebugger"));
    if (below.length > 0) works.push(targets.attachBelow(session, below));
    return { beforeStart: Promise.resolve(), done: Promise.all(works) };
  });
  await targets.attachBelow(connection, TYPES);
}

async function openPage(connection: Connection): Promise<{ sessionId: string }> {
  const { targetId } = await connection.send("Target.createTarget", { url: SITE });
  return connection.send("Target.attachToTarget", { targetId, flatten: true });
}
