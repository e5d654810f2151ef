import { claimWatchRun } from "berth-loop-guard";
import { type CompiledScript, compileScript } from "compile-script.js";
import { COMPILE_LIMIT_MS, type CompileRequest } from "../compile-request.ts";

/** How long a script may take to compile without a pause after it. */
const MAX_UNPAUSED_MS = 300;

/** Multiplied by the duration of a slow compilation: how long the organization's next one waits. */
const PAUSE_FACTOR = 4;

const MAX_WAIT_MS = 10_000;

const watchRun = claimWatchRun();

/** The local runtime has one thread for all organizations: after a slow script, the others get it first. */
let pausedUntil = 0;

export default {
  async fetch(request: Request): Promise<Response> {
    const { code, loopGuardMs } = await request.json<CompileRequest>();
    const arrivedAt = Date.now();
    for (;;) {
      await resetWatch(Math.min(pausedUntil, arrivedAt + MAX_WAIT_MS) - Date.now());
      const startedAt = Date.now();
      if (startedAt < pausedUntil) {
        if (startedAt - arrivedAt >= MAX_WAIT_MS) return new Response(null, { status: 429 });
        continue;
      }
      try {
        return Response.json(compileScript(code, loopGuardMs));
      } catch {
        // Only the loop guard throws here. It may have counted the time of another script, so this retries.
        if (Date.now() - startedAt >= COMPILE_LIMIT_MS) return Response.json(TOO_SLOW);
      } finally {
        const tookMs = Date.now() - startedAt;
        if (tookMs > MAX_UNPAUSED_MS) pausedUntil = Date.now() + PAUSE_FACTOR * tookMs;
      }
    }
  },
};

const TOO_SLOW: CompiledScript = {
  ok: false,
  message: `The code takes more than ${COMPILE_LIMIT_MS} ms to compile`,
};

function resetWatch(afterMs: number): Promise<void> {
  watchRun(() => undefined);
  return new Promise((resolve) => setTimeout(resolve, Math.max(afterMs, 0)));
}
