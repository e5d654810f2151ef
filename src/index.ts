import { app } from "./app.ts";
import { sweepDeployments, sweepInvocations } from "./apps/index.ts";
import { sweepPools } from "./browser-pools/index.ts";
import { queriesLeft, withQueryBudget } from "./database/query-budget.ts";
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
export { PlatformProbe, ProbeStream } from "./probe/index.ts";
export { BrowserSession, OutgoingCalls } from "./sessions/index.ts";

/**
 * Queries of one run. The parts without a share of their own make a fixed number, 200 together at most.
 * Iterations that are under way when a share is used up may exceed it by 50.
 */
const QUERIES = { all: 900, usage: 100, proxies: 200 };

export default {
  fetch: app.fetch,

  async scheduled(controller, env, context) {
    const now = controller.scheduledTime;
    const limited = withQueryBudget(env, QUERIES.all);
    const background = { env: limited, waitUntil: (work: Promise<unknown>) => context.waitUntil(work) };
    // Pools of organizations that are over their budget lose their browsers.
    await sweepUsage({ ...background, env: withQueryBudget(limited, QUERIES.usage) }, now);
    await sweepPools(limited);
    await sweepExtensions(limited, now);
    await sweepProfiles(limited, now);
    // Sessions end with their invocations.
    await sweepInvocations(limited, now);
    await sweepSessions(limited, now);
    await sweepReplays(background, now);
    await sweepDeployments(limited, now);
    // Last, because they wait for external servers.
    const left = queriesLeft(limited.DB) - QUERIES.proxies;
    await Promise.all([
      sweepWebhooks(withQueryBudget(limited, left), now),
      sweepProxies(withQueryBudget(limited, QUERIES.proxies), now),
    ]);
  },
} satisfies ExportedHandler<Env>;
