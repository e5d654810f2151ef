import { parse } from "acorn";
import { transform } from "sucrase";
import { guardLoops } from "../loop-guard.ts";
import { isStackOverflow, NESTED_TOO_DEEPLY } from "../nested-code.ts";

const HEAD = "export default async function script(page, context, browser) {";
const TAIL = "\n}";

export type CompiledScript = { ok: true; module: string } | { ok: false; message: string; line?: number };

/**
 * Compiles a script, the body of a function in TypeScript or JavaScript, to a module with the same lines. It
 * runs under a loop guard itself, because the parsers may take unbounded time.
 */
export function compileScript(code: string, loopGuardMs: number): CompiledScript {
  try {
    const module = stripTypes(HEAD + code + TAIL);
    requireSingleFunction(module);
    return { ok: true, module: loopGuardMs === 0 ? module : guardLoops(module, loopGuardMs) };
  } catch (error) {
    return describeError(error, code.split("\n").length);
  }
}

function stripTypes(source: string): string {
  return transform(source, { transforms: ["typescript"], disableESTransforms: true, keepUnusedImports: true })
    .code;
}

/** A script that closes the function around it would run code at module level, where other limits apply. */
function requireSingleFunction(module: string): void {
  const { body } = parse(module, { ecmaVersion: "latest", sourceType: "module" });
  if (body.length === 1) return;
  const second = body[1]?.start ?? 0;
  const line = module.slice(0, second).split("\n").length;
  throw Object.assign(new SyntaxError("Unexpected token"), { loc: { line } });
}

/** The parsers report an unexpected end after the last line. */
function describeError(error: unknown, lastLine: number): CompiledScript {
  if (isStackOverflow(error)) return { ok: false, message: NESTED_TOO_DEEPLY };
  const message = error instanceof Error ? error.message : String(error);
  const line = errorLine(error);
  // The type stripper refuses some code without saying where.
  if (line === undefined) return { ok: false, message };
  return { ok: false, message: message.replace(/ \(\d+:\d+\)$/, ""), line: Math.min(line, lastLine) };
}

function errorLine(error: unknown): number | undefined {
  if (!(error instanceof SyntaxError) || !("loc" in error)) return undefined;
  const { loc } = error;
  if (typeof loc !== "object" || loc === null || !("line" in loc)) return undefined;
  return typeof loc.line === "number" ? loc.line : undefined;
}
