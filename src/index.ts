import { app } from "./app.ts";
import { sweepPools } from "./browser-pools/sweep.ts";
import { sweepSessions } from "./browser-sessions/sweep.ts";
import { sweepExtensions } from "./extensions/sweep.ts";

export { BrowserPool } from "./browser-pools/browser-pool.ts";
export { BrowserSession } from "./browser-sessions/browser-session.ts";
export { StandbyBrowsers } from "./browser-sessions/standby-browsers.ts";
export { SessionMachine } from "./machine/session-machine.ts";

export default {
  fetch: app.fetch,

  async scheduled(controller, env) {
    await sweepPools(env);
    await sweepExtensions(env);
    await sweepSessions(env, controller.scheduledTime);
  },
} satisfies ExportedHandler<Env>;
