import { scheduleContentScripts } from "./content-script-scheduler.ts";
import { installExtensionApi, type WorldHook } from "./extension-api.ts";
import { type ExtensionDescription, type ScheduledScript, WORLD_HOOK } from "./extension-protocol.ts";

/**
 * Runs an extension's content scripts in its own world.
 *
 * @param texts sources of each script, by the script's index.
 * @param description an {@link ExtensionDescription} as JSON: in a literal, a key `__proto__` would set a prototype.
 */
export function runContentScripts(
  key: string,
  scripts: readonly ScheduledScript[],
  texts: readonly (readonly string[])[],
  description: string,
): void {
  let hook: WorldHook | undefined;
  scheduleContentScripts(key, scripts, (indexes) => {
    hook ??= installExtensionApi(parseDescription(description));
    runTogether(
      hook,
      indexes.flatMap((index) => texts[index] ?? []),
    );
  });
}

function parseDescription(text: string): ExtensionDescription {
  return JSON.parse(text);
}

/**
 * Runs texts as one, because `let`, `const` and `class` of one script are visible to the next, and `eval` keeps them to
 * its own text. The indirect `eval` leaves `var` and functions to all, and no policy of the page's reaches it here. The
 * call before the first script takes the meaning from its "use strict", which would otherwise hold for all.
 */
function runTogether(hook: WorldHook, texts: readonly string[]): void {
  // biome-ignore lint/security/noGlobalEval: the scripts are the extension's own.
  const evaluate = eval;
  const join = (from: number, to: number) =>
    texts
      .slice(from, to)
      .map((text, offset) => `${WORLD_HOOK}.onScriptStart(${from + offset});\n${text}\n`)
      .join(";");
  /** @returns the index of the script that threw; -1 where the text as a whole is no script. */
  const runFrom = (first: number) => {
    let current = -1;
    hook.onScriptStart = (index) => {
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
  const runAlone = (index: number) => {
    hook.onScriptStart = () => undefined;
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
    // One of them has a syntax error, or two declare the same: each runs for itself.
    for (; next < texts.length; next += 1) runAlone(next);
  }
}
