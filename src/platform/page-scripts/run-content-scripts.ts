import { scheduleContentScripts } from "./content-script-scheduler.ts";
import { installExtensionApi, type WorldHook } from "./extension-api.ts";
import { type ExtensionDescription, type ScheduledScript, WORLD_HOOK } from "./extension-protocol.ts";

/** @param description JSON, because `__proto__` in a literal would set the prototype. */
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
 * Runs all texts as one, because scripts share `let`, `const` and `class`, which separate `eval` calls do
 * not. The leading call keeps one script's "use strict" from applying to all.
 */
function runTogether(hook: WorldHook, texts: readonly string[]): void {
  // biome-ignore lint/security/noGlobalEval: the scripts are the extension's own.
  const evaluate = eval;
  const join = (from: number, to: number) =>
    texts
      .slice(from, to)
      .map((text, offset) => `${WORLD_HOOK}.onScriptStart(${from + offset});\n${text}\n`)
      .join(";");
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
    for (; next < texts.length; next += 1) runAlone(next);
  }
}
