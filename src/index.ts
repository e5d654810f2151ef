import { app } from "./app.ts";
import { sweepDeployments } from "./apps/deployments/sweep.ts";
import { sweepInvocations } from "./apps/invocations/sweep.ts";
import { sweepPools } from "./browser-pools/sweep.ts";
import { sweepExtensions } from "./extensions/sweep.ts";
import { sweepProfiles } from "./profiles/sweep.ts";
import { sweepProxies } from "./proxies/sweep.ts";
import { sweepSessions } from "./sessions/lifecycle/sweep.ts";

export { Deployment } from "./apps/deployments/deployment.ts";
export { PackageGateway } from "./apps/deployments/package-gateway.ts";
export { AppGateway } from "./apps/invocations/app-gateway.ts";
export { Invocation } from "./apps/invocations/invocation.ts";
export { BrowserPool } from "./browser-pools/browser-pool.ts";
export { SessionMachine } from "./machine/session-machine.ts";
export { SessionEndpoint } from "./playwright/session-endpoint.ts";
export { StandbyBrowsers } from "./sessions/lifecycle/standby-browsers.ts";
export { BrowserSession } from "./sessions/object.ts";

export default {
  fetch: app.fetch,

  async scheduled(controller, env) {
    await sweepPools(env);
    await sweepExtensions(env, controller.scheduledTime);
    await sweepProfiles(env, controller.scheduledTime);
    // Before the sessions, which end with theirs.
    await sweepInvocations(env, controller.scheduledTime);
    await sweepSessions(env, controller.scheduledTime);
    await sweepDeployments(env, controller.scheduledTime);
    // The last: it waits for other people's servers.
    await sweepProxies(env, controller.scheduledTime);
  },
} satisfies ExportedHandler<Env>;
