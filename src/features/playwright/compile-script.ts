import { z } from "zod";
import { ServiceError } from "../../lib/common/errors.ts";
import { readSettings } from "../../lib/common/settings.ts";
import {
  type CompileRequest,
  type ModuleName,
  nameWorker,
  readModules,
  requireLoader,
  toWorkerCode,
} from "../../platform/dynamic-workers/index.ts";
import type { CompiledScript } from "../../platform/dynamic-workers/runtime/compile-script.ts";

export const SCRIPT_MODULE = "script.js";

const MODULES = [
  "script-compiler.js",
  "compile-script.js",
  "berth-loop-guard",
] as const satisfies ModuleName[];

const CPU_LIMIT_MS = 2000;

/** The compiler compiles one script at a time, and makes others wait for up to 10 s after a slow one. */
const TIMEOUT_MS = 15_000;

const RETRY_AFTER_SECONDS = 5;

const COMPILER_URL = "https://compiler.invalid/";

const compiledSchema: z.ZodType<CompiledScript> = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), module: z.string() }),
  z.object({ ok: z.literal(false), message: z.string(), line: z.int().optional() }),
]);

/**
 * Compiles a script in a Worker of its organization: short hostile code can keep a TypeScript parser busy
 * without end, and other organizations' scripts must not wait for it or end with it.
 *
 * @throws ServiceError 429 while slow scripts of the organization are compiled, 501 without Dynamic Workers.
 */
export async function compileScript(
  env: Env,
  { code, organizationId }: { code: string; organizationId: string },
): Promise<CompiledScript> {
  const loader = requireLoader(env);
  const modules = await readModules(env, MODULES);
  const compiler = toWorkerCode({ mainModule: MODULES[0], modules, outbound: null, cpuMs: CPU_LIMIT_MS });
  const worker = loader.get(await nameWorker("compiler", compiler, organizationId), () => compiler);
  const request: CompileRequest = { code, loopGuardMs: readSettings(env).loopGuardMs };
  try {
    const response = await worker.getEntrypoint().fetch(COMPILER_URL, {
      method: "POST",
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status === 429) {
      const message =
        "Code of this organization takes too long to compile; other code waits for it. Try again";
      throw new ServiceError("too_many_requests", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    return compiledSchema.parse(await response.json());
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // On the deployed platform the CPU limit ends the Worker.
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `The code cannot be compiled: ${message}` };
  }
}
