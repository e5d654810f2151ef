import { z } from "zod";
import { readSettings } from "../common/settings.ts";
import {
  type CompileRequest,
  type ModuleName,
  readModules,
  requireLoader,
  toWorkerCode,
} from "../dynamic-workers/index.ts";
import type { CompiledScript } from "../dynamic-workers/runtime/compile-script.ts";

/** The module that a script becomes, as stacks name it. */
export const SCRIPT_MODULE = "script.js";

/** What the compiler's Worker is made of, the main one first. */
const MODULES = [
  "script-compiler.js",
  "compile-script.js",
  "berth-loop-guard",
] as const satisfies ModuleName[];

/** A script that was written by hand takes some milliseconds. */
const CPU_MS = 5000;

/** How long to wait for the compiler, which may have other scripts before. */
const TIMEOUT_MS = 15_000;

/** The host of the URL means nothing to the compiler. */
const COMPILER_URL = "https://compiler.invalid/";

const compiledSchema: z.ZodType<CompiledScript> = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), module: z.string() }),
  z.object({ ok: z.literal(false), message: z.string(), line: z.int().optional() }),
]);

/** The compiler's Worker, by which an isolate of the service asks for it again. */
let workerName: string | undefined;

/**
 * Makes a module of a script, apart from the service: parsers go back where TypeScript can mean two things, and take
 * time without end for short code that is made for it. The compiler is ended when it takes too long.
 *
 * @throws ServiceError 501 where the deployment has no Dynamic Workers.
 */
export async function compileScript(env: Env, code: string): Promise<CompiledScript> {
  const loader = requireLoader(env);
  const modules = await readModules(env, MODULES);
  workerName ??= `script-compiler-${crypto.randomUUID()}`;
  const worker = loader.get(workerName, () =>
    toWorkerCode({ mainModule: MODULES[0], modules, outbound: null, cpuMs: CPU_MS }),
  );
  const request: CompileRequest = { code, loopGuardMs: readSettings(env).loopGuardMs };
  try {
    const response = await worker.getEntrypoint().fetch(COMPILER_URL, {
      method: "POST",
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return compiledSchema.parse(await response.json());
  } catch (error) {
    // The deployed platform ends what takes too much time by itself.
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `The code cannot be compiled: ${message}` };
  }
}
