import type { BrowserExtension, ContentScript } from "./browser-extension.ts";
import { EXTENSION_API } from "./extension-api.ts";
import { extensionWorld, mayStore, storageBinding, WORLD_HOOK } from "./extension-world.ts";
import { compileGlob, compileMatchPattern } from "./match-pattern.ts";

/** What `Page.addScriptToEvaluateOnNewDocument` takes. */
export interface DocumentScript {
  source: string;
  /** Absent in the page's own world. */
  worldName?: string;
}

/**
 * Decides in a document which of an extension's content scripts run there, and when: the parts of Chrome's
 * scheduler that a page can see. It is text, not a function turned into text: bundlers put calls of their own helpers
 * into functions.
 *
 * Its parameters: a name for the event by which a second copy of it finds the first (the control connection may be a
 * new one, and Chrome runs its scripts in documents that are there already); the scripts, with patterns as sources
 * of regular expressions; and what runs those of the given indexes.
 */
const SCHEDULER = `(key, scripts, run) => {
  // How long Chrome waits for a document's load before scripts of document_idle run without it.
  const IDLE_AFTER_MS = 200;
  // How long, and how often, an empty window is looked at for its document.
  const FOLLOW_MS = 10_000;
  const FOLLOW_INTERVAL_MS = 20;

  const findLocation = () => {
    const isBlank = location.protocol === "about:";
    const blank = (address) => ({ isBlank, address, href: address });
    try {
      let view = window;
      for (let depth = 0; depth < 20 && view && view.location.protocol === "about:"; depth += 1) {
        view = view.parent === view ? view.opener : view.parent;
      }
      if (!view) return blank("");
      const { protocol, host, pathname, search, href } = view.location;
      return { isBlank, address: protocol + "//" + host + pathname + search, href };
    } catch {
      // The parent is of another origin than the one that this document has from its opener, or none.
      return blank(origin + "/");
    }
  };

  const findDue = () => {
    const { isBlank, address, href } = findLocation();
    const some = (sources, text) => sources.some((source) => new RegExp(source).test(text));
    return scripts.filter(
      ({ matches, excludeMatches, includeGlobs, excludeGlobs, allFrames, matchAboutBlank }) =>
        (allFrames || window === window.top) &&
        (matchAboutBlank || !isBlank) &&
        some(matches, address) &&
        !some(excludeMatches, address) &&
        (includeGlobs.length === 0 || some(includeGlobs, href)) &&
        !some(excludeGlobs, href),
    );
  };

  const schedule = (due) => {
    const page = document;
    const sheets = due.flatMap(({ css }) => css).map((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return sheet;
    });
    // Before the page's own, which win where both say something; again, because a page can assign the whole list.
    const dress = () => {
      const missing = sheets.filter((sheet) => !document.adoptedStyleSheets.includes(sheet));
      if (missing.length > 0) document.adoptedStyleSheets = [...missing, ...document.adoptedStyleSheets];
    };

    const reached = new Set();
    const reach = (runAt) => {
      if (document !== page) return;
      dress();
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

    dress();
    // Chrome's document_start has the root element. Observers are told before the page's first script runs.
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
  };

  // A window's first, empty document leaves it to the next one of its origin, which Chrome runs no script in. Such
  // windows tell of the change at their load at the latest, and mostly, but not always, as it comes.
  const followWindow = () => {
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
  };

  const begin = () => {
    if (location.protocol === "about:") followWindow();
    const due = findDue();
    if (due.length === 0) return;
    if (!document.dispatchEvent(new Event(key, { cancelable: true }))) return;
    document.addEventListener(key, (event) => event.preventDefault());
    schedule(due);
  };
  begin();
}`;

/**
 * Runs scripts of an extension's own world. They are one text, because `let`, `const` and `class` of one script are
 * there for the next ones, and what is evaluated keeps them to itself; the indirect `eval`, which no policy of the
 * page's reaches in such a world, leaves `var` and functions to all. The text's first statement takes the meaning
 * from a "use strict" of the first script, which would keep those from the others.
 */
const RUN_TOGETHER = `(hook, texts) => {
  const evaluate = eval;
  const join = (from, to) =>
    texts.slice(from, to).map((text, offset) => "${WORLD_HOOK}.began(" + (from + offset) + ");\\n" + text + "\\n").join(";");
  const runFrom = (first) => {
    let current = -1;
    hook.began = (index) => {
      current = index;
    };
    try {
      evaluate(join(first, texts.length));
    } catch (error) {
      if (current >= 0) reportError(error);
      return current;
    }
    return texts.length;
  };
  const runAlone = (index) => {
    hook.began = () => undefined;
    try {
      evaluate(join(index, index + 1));
    } catch (error) {
      reportError(error);
    }
  };
  for (let next = 0; next < texts.length; ) {
    const stopped = runFrom(next);
    if (stopped >= 0) {
      next = stopped + 1;
      continue;
    }
    // One of them is no script, or two declare the same: each for itself.
    for (; next < texts.length; next += 1) runAlone(next);
  }
}`;

/**
 * The texts that run an extension's content scripts in documents of any address.
 *
 * @throws MatchPatternError
 */
export function toDocumentScripts(extension: BrowserExtension): DocumentScript[] {
  const scripts = extension.contentScripts.map((script, index) => ({ ...toPlanned(script, index), script }));
  const ofOwnWorld = scripts.filter(({ script }) => script.world === "ISOLATED" || script.css.length > 0);
  const ofPageWorld = scripts.filter(({ script }) => script.world === "MAIN" && script.js.length > 0);
  return [
    ...(ofOwnWorld.length === 0
      ? []
      : [
          {
            worldName: extensionWorld(extension.id),
            source: toOwnWorldSource(
              extension,
              ofOwnWorld.map(({ script, ...planned }) => planned),
            ),
          },
        ]),
    // A text each: one that does not compile takes no other with it.
    ...ofPageWorld.map(({ script, ...planned }) => ({
      source: toPageWorldSource(extension.id, { ...planned, css: [] }, script.js),
    })),
  ];
}

/** What the scheduler knows of a content script. */
interface PlannedScript extends Omit<ContentScript, "js" | "world"> {
  index: number;
}

function toPlanned(script: ContentScript, index: number): PlannedScript {
  const { css, runAt, allFrames, matchAboutBlank } = script;
  return {
    index,
    css,
    runAt,
    allFrames,
    matchAboutBlank,
    matches: script.matches.map(compileMatchPattern),
    excludeMatches: script.excludeMatches.map(compileMatchPattern),
    includeGlobs: script.includeGlobs.map(compileGlob),
    excludeGlobs: script.excludeGlobs.map(compileGlob),
  };
}

function toOwnWorldSource(extension: BrowserExtension, scripts: PlannedScript[]): string {
  const { id, manifest, resources, contentScripts } = extension;
  const texts = contentScripts.map(({ js, world }) => (world === "ISOLATED" ? js : []));
  const about = {
    id,
    manifest,
    resources,
    storageBinding: mayStore(extension) ? storageBinding(id) : null,
  };
  return `(() => {
const texts = ${JSON.stringify(texts)};
let hook;
(${SCHEDULER})(${JSON.stringify(`berth-${id}`)}, ${JSON.stringify(scripts)}, (indexes) => {
  if (hook === undefined) {
    hook = (${EXTENSION_API})(${toExpression(about)});
    Object.defineProperty(globalThis, "${WORLD_HOOK}", { value: hook, configurable: true });
  }
  (${RUN_TOGETHER})(hook, indexes.flatMap((index) => texts[index]));
});
})();`;
}

/** Pages' policies forbid `eval` there, so the scripts are part of the text, and their variables their own. */
function toPageWorldSource(extensionId: string, script: PlannedScript, texts: readonly string[]): string {
  const key = JSON.stringify(`berth-${extensionId}-${script.index}`);
  const runs = texts.map((text) => `try {\n${text}\n} catch (error) { reportError(error); }`);
  return `(${SCHEDULER})(${key}, ${JSON.stringify([script])}, function () {\n${runs.join("\n")}\n});`;
}

/** In an object literal a key `__proto__` would mean something else. */
function toExpression(value: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}
