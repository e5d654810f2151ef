import { parse } from "acorn";
import { transform } from "sucrase";
import { guardLoops } from "../loop-guard.ts";

const HEAD = "export default async function script(page, context, browser) {";
const TAIL = "\n}";

export type CompiledScript =
  | { ok: true; module: string }
  /** `line` of the script, from 1; absent where the fault is none of a line. */
  | { ok: false; message: string; line?: number };

/**
 * Makes a module of a script, which is the body of a function: TypeScript or JavaScript with `page`, `context` and
 * `browser` in scope. Its lines are the module's.
 * The parsers' time knows no bound: this runs where it is watched itself.
 *
 * @param loopGuardMs how long it may run without letting anything else go on; 0: nothing watches.
 */
export function compileScript(code: string, loopGuardMs: number): CompiledScript {
  try {
    const module = stripTypes(HEAD + code + TAIL);
    requireOneFunction(module);
    return { ok: true, module: loopGuardMs === 0 ? module : guardLoops(module, loopGuardMs) };
  } catch (error) {
    return describeFault(error, code.split("\n").length);
  }
}

function stripTypes(source: string): string {
  return transform(source, { transforms: ["typescript"], disableESTransforms: true, keepUnusedImports: true })
    .code;
}

/** A script that closes the function around it has something run where the platform's limits are others. */
function requireOneFunction(module: string): void {
  const { body } = parse(module, { ecmaVersion: "latest", sourceType: "module" });
  if (body.length === 1) return;
  const second = body[1]?.start ?? 0;
  const line = module.slice(0, second).split("\n").length;
  throw Object.assign(new SyntaxError("Unexpected token"), { loc: { line } });
}

/** What ends too early is found out after the last line. */
function describeFault(error: unknown, lastLine: number): CompiledScript {
  if (error instanceof RangeError) return { ok: false, message: "The code is nested too deeply" };
  const message = error instanceof Error ? error.message : String(error);
  const line = faultyLine(error);
  // The type stripper refuses some code without saying where.
  if (line === undefined) return { ok: false, message };
  // The place in the message counts what is put before the first line, too.
  return { ok: false, message: message.replace(/ \(\d+:\d+\)$/, ""), line: Math.min(line, lastLine) };
}

/** Where both parsers tell what is wrong. */
function faultyLine(error: unknown): number | undefined {
  if (!(error instanceof SyntaxError) || !("loc" in error)) return undefined;
  const { loc } = error;
  if (typeof loc !== "object" || loc === null || !("line" in loc)) return undefined;
  return typeof loc.line === "number" ? loc.line : undefined;
}
