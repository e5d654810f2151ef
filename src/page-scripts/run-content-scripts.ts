import { scheduleContentScripts } from "./content-script-scheduler.ts";
import { installExtensionApi, type WorldHook } from "./extension-api.ts";
import { type ExtensionDescription, type ScheduledScript, WORLD_HOOK } from "./extension-protocol.ts";

/** @param description is JSON, because a key `__proto__` of a literal would set a prototype. */
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
 * Runs texts as one, because scripts share their `let`, `const` and `class`, which `eval` keeps to its own text. The call
 * before the first script keeps a "use strict" of it from holding for all.
 */
function runTogether(hook: WorldHook, texts: readonly string[]): void {
  // biome-ignore lint/security/noGlobalEval: the scripts are the extension's own.
  const evaluate = eval;
  const join = (from: number, to: number) =>
    texts
      .slice(from, to)
      .map((text, offset) => `${WORLD_HOOK}.onScriptStart(${from + offset});\n${text}\n`)
      .join(";");
  /** @returns the index of the script that threw; -1 after a syntax error. */
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
