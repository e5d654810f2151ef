import { app } from "./app.ts";
import { sweepDeployments, sweepInvocations } from "./apps/index.ts";
import { sweepPools } from "./browser-pools/index.ts";
import { sweepExtensions } from "./extensions/index.ts";
import { sweepProfiles } from "./profiles/index.ts";
import { sweepProxies } from "./proxies/index.ts";
import { sweepReplays } from "./recordings/index.ts";
import { sweepSessions } from "./sessions/index.ts";
import { sweepUsage } from "./usage/index.ts";
import { sweepWebhooks } from "./webhooks/index.ts";

export { AppGateway, Deployment, Invocation, PackageGateway } from "./apps/index.ts";
export { AuditLog } from "./audit/index.ts";
export { BrowserBroker } from "./broker/index.ts";
export { BrowserPool } from "./browser-pools/index.ts";
export { SessionMachine } from "./machine/index.ts";
export { MCPSession, PageBrowser } from "./mcp/index.ts";
export { SessionEndpoint } from "./playwright/index.ts";
export { PlatformProbe } from "./probe/index.ts";
export { BrowserSession, OutgoingCalls } from "./sessions/index.ts";

export default {
  fetch: app.fetch,

  async scheduled(controller, env, context) {
    const background = { env, waitUntil: (work: Promise<unknown>) => context.waitUntil(work) };
    // Pools of organizations that are over their budget lose their browsers.
    await sweepUsage(background, controller.scheduledTime);
    await sweepPools(env);
    await sweepExtensions(env, controller.scheduledTime);
    await sweepProfiles(env, controller.scheduledTime);
    // Sessions end with their invocations.
    await sweepInvocations(env, controller.scheduledTime);
    await sweepSessions(env, controller.scheduledTime);
    await sweepReplays(background, controller.scheduledTime);
    await sweepDeployments(env, controller.scheduledTime);
    // Last, because they wait for external servers.
    await Promise.all([
      sweepWebhooks(env, controller.scheduledTime),
      sweepProxies(env, controller.scheduledTime),
    ]);
  },
} satisfies ExportedHandler<Env>;
