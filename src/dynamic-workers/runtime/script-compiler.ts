import { claimWatchRun } from "berth-loop-guard";
import { type CompiledScript, compileScript } from "compile-script.js";
import { COMPILE_LIMIT_MS, type CompileRequest } from "../compile-request.ts";

const watchRun = claimWatchRun();

export default {
  async fetch(request: Request): Promise<Response> {
    const { code, loopGuardMs } = await request.json<CompileRequest>();
    for (;;) {
      await resetWatch();
      const startedAt = Date.now();
      try {
        return Response.json(compileScript(code, loopGuardMs));
      } catch {
        // Only the loop guard throws here. It may have counted the time of another script, so this retries.
        if (Date.now() - startedAt >= COMPILE_LIMIT_MS) return Response.json(TOO_SLOW);
      }
    }
  },
};

const TOO_SLOW: CompiledScript = {
  ok: false,
  message: `The code takes more than ${COMPILE_LIMIT_MS} ms to compile`,
};

function resetWatch(): Promise<void> {
  watchRun(() => undefined);
  return new Promise((resolve) => setTimeout(resolve, 0));
}
