import { takeWatchRun } from "berth-loop-guard";
import { type CompiledScript, compileScript } from "compile-script.js";
import { COMPILE_LIMIT_MS, type CompileRequest } from "../compile-request.ts";

const watchRun = takeWatchRun();

/** Compiles scripts, each of which may take as long as the watch lets it. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { code, loopGuardMs } = await request.json<CompileRequest>();
    for (;;) {
      await untilWatchedAnew();
      const began = Date.now();
      try {
        return Response.json(compileScript(code, loopGuardMs));
      } catch {
        // All faults of the code are results, so this is the watch; it may have counted another script's time, too.
        if (Date.now() - began >= COMPILE_LIMIT_MS) return Response.json(TOO_SLOW);
      }
    }
  },
};

const TOO_SLOW: CompiledScript = {
  ok: false,
  message: `The code takes more than ${COMPILE_LIMIT_MS} ms to compile`,
};

/** A watch begins anew when the event loop comes round. */
function untilWatchedAnew(): Promise<void> {
  watchRun(() => undefined);
  return new Promise((resolve) => setTimeout(resolve, 0));
}
