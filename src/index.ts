import { app } from "./app.ts";
import { sweepSessions } from "./browser-sessions/sweep.ts";

export { BrowserSession } from "./browser-sessions/browser-session.ts";
export { StandbyBrowsers } from "./browser-sessions/standby-browsers.ts";
export { SessionMachine } from "./machine/session-machine.ts";

export default {
  fetch: app.fetch,

  async scheduled(controller, env) {
    await sweepSessions(env, controller.scheduledTime);
  },
} satisfies ExportedHandler<Env>;
