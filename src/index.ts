import { app } from "./app.ts";
import { sweepSessions } from "./browser-sessions/sweep.ts";
import { logError } from "./log.ts";

export { BrowserSession } from "./browser-sessions/browser-session.ts";

export default {
  fetch: app.fetch,

  async scheduled(controller, env) {
    try {
      await sweepSessions(env, controller.scheduledTime);
    } catch (error) {
      logError("sweep_failed", error);
    }
  },
} satisfies ExportedHandler<Env>;
