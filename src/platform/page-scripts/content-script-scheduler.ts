import type { RunAt, ScheduledScript } from "./extension-protocol.ts";

/** Chrome reaches document_idle after this time even without the load event. */
const IDLE_AFTER_MS = 200;

const FOLLOW_INTERVAL_MS = 20;
const FOLLOW_MS = 10_000;

export function scheduleContentScripts(
  key: string,
  scripts: readonly ScheduledScript[],
  run: (indexes: number[]) => void,
): void {
  const begin = () => {
    if (location.protocol === "about:") followWindow(begin);
    const due = findDue(scripts);
    if (due.length === 0) return;
    if (!document.dispatchEvent(new Event(key, { cancelable: true }))) return;
    document.addEventListener(key, (event) => event.preventDefault());
    schedule(due, run);
  };
  begin();
}

function findDue(scripts: readonly ScheduledScript[]): ScheduledScript[] {
  const { isBlank, address, href } = findLocation();
  const some = (sources: readonly string[], text: string) =>
    sources.some((source) => new RegExp(source).test(text));
  return scripts.filter(
    ({ matches, excludeMatches, includeGlobs, excludeGlobs, allFrames, matchAboutBlank }) =>
      (allFrames || window === window.top) &&
      (matchAboutBlank || !isBlank) &&
      some(matches, address) &&
      !some(excludeMatches, address) &&
      (includeGlobs.length === 0 || some(includeGlobs, href)) &&
      !some(excludeGlobs, href),
  );
}

function findLocation(): { isBlank: boolean; address: string; href: string } {
  const isBlank = location.protocol === "about:";
  const blank = (address: string) => ({ isBlank, address, href: address });
  try {
    let view: Window | null = window;
    for (let depth = 0; depth < 20 && view && view.location.protocol === "about:"; depth += 1) {
      view = view.parent === view ? view.opener : view.parent;
    }
    if (!view) return blank("");
    const { protocol, host, pathname, search, href } = view.location;
    return { isBlank, address: `${protocol}//${host}${pathname}${search}`, href };
  } catch {
    return blank(`${origin}/`);
  }
}

function schedule(due: readonly ScheduledScript[], run: (indexes: number[]) => void): void {
  const page = document;
  const sheets = due
    .flatMap(({ css }) => css)
    .map((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return sheet;
    });
  // The page's sheets win. A page can replace the whole list, so they are added again.
  const addSheets = () => {
    const missing = sheets.filter((sheet) => !document.adoptedStyleSheets.includes(sheet));
    if (missing.length > 0) document.adoptedStyleSheets = [...missing, ...document.adoptedStyleSheets];
  };

  const reached = new Set<RunAt>();
  const reach = (runAt: RunAt) => {
    if (document !== page) return;
    addSheets();
    if (reached.has(runAt)) return;
    reached.add(runAt);
    const indexes = due.filter((script) => script.runAt === runAt).map(({ index }) => index);
    if (indexes.length > 0) run(indexes);
  };
  const reachStart = () => reach("document_start");
  const reachEnd = () => {
    reachStart();
    reach("document_end");
  };
  const reachIdle = () => {
    reachEnd();
    reach("document_idle");
  };

  addSheets();
  const observer = new MutationObserver(() => {
    if (!document.documentElement) return;
    observer.disconnect();
    reachStart();
  });
  if (document.documentElement) reachStart();
  else observer.observe(document, { childList: true });
  if (document.readyState === "complete") {
    reachIdle();
    return;
  }
  const onContent = () => {
    reachEnd();
    setTimeout(reachIdle, IDLE_AFTER_MS);
  };
  if (document.readyState === "interactive") onContent();
  else addEventListener("DOMContentLoaded", onContent, { capture: true, once: true });
  addEventListener("load", () => setTimeout(reachIdle), { capture: true, once: true });
}

/** Chrome runs no script in a same-origin document that replaces the initial empty one. */
function followWindow(begin: () => void): void {
  const page = document;
  const startedAt = performance.now();
  let isFollowed = false;
  const look = () => {
    if (isFollowed || document === page) return;
    isFollowed = true;
    begin();
  };
  const lookAgain = () => {
    look();
    if (!isFollowed && performance.now() - startedAt < FOLLOW_MS) setTimeout(lookAgain, FOLLOW_INTERVAL_MS);
  };
  addEventListener("pagehide", () => setTimeout(look), { capture: true });
  addEventListener("load", look, { capture: true });
  lookAgain();
}
