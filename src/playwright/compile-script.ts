import { parse } from "acorn";
import { transform } from "sucrase";
import { z } from "zod";
import { guardLoops } from "../dynamic-workers/loop-guard.ts";

/** The module that a script becomes, as stacks name it. */
export const SCRIPT_MODULE = "script.js";

const HEAD = "export default async function script(page, context, browser) {";
const TAIL = "\n}";

export type CompiledScript =
  | { ok: true; module: string }
  /** `line` of the script, from 1; absent where the fault is none of a line. */
  | { ok: false; message: string; line?: number };

/** Where both parsers tell what is wrong. */
const locatedSchema = z.object({ message: z.string(), loc: z.object({ line: z.number() }) });

/**
 * Makes a module of a script, which is the body of a function: TypeScript or JavaScript with `page`, `context` and
 * `browser` in scope. Its lines are the module's.
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
  const located = locatedSchema.safeParse(error);
  if (located.success) {
    const { message, loc } = located.data;
    // The place in the message counts what is put before the first line, too.
    return { ok: false, message: message.replace(/ \(\d+:\d+\)$/, ""), line: Math.min(loc.line, lastLine) };
  }
  if (error instanceof RangeError) return { ok: false, message: "The code is nested too deeply" };
  throw error;
}
