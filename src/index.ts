import { app } from "./app.ts";
import { sweepDeployments, sweepInvocations } from "./features/apps/index.ts";
import { sweepPools } from "./features/browser-pools/index.ts";
import { sweepExtensions } from "./features/extensions/index.ts";
import { sweepProfiles } from "./features/profiles/index.ts";
import { sweepProxies } from "./features/proxies/index.ts";
import { sweepRecordings } from "./features/recordings/index.ts";
import { sweepSessions } from "./features/sessions/index.ts";
import { sweepUsage } from "./features/usage/index.ts";
import { sweepWebhooks } from "./features/webhooks/index.ts";
import { queriesLeft, withQueryBudget } from "./lib/database/query-budget.ts";

export { MCPSession, PageBrowser } from "./api/mcp/index.ts";
export { AppGateway, Deployment, Invocation, PackageGateway } from "./features/apps/index.ts";
export { AuditLog } from "./features/audit/index.ts";
export { BrowserPool } from "./features/browser-pools/index.ts";
export { MachineContainer, SessionMachine } from "./features/machine/index.ts";
export { SessionEndpoint } from "./features/playwright/index.ts";
export { PlatformProbe, ProbeStream } from "./features/probe/index.ts";
export { BrowserSession, OutgoingCalls } from "./features/sessions/index.ts";
export { BrowserBroker } from "./platform/broker/index.ts";

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
    await sweepRecordings(background, now);
    await sweepDeployments(limited, now);
    // Last, because they wait for external servers.
    const left = queriesLeft(limited.DB) - QUERIES.proxies;
    await Promise.all([
      sweepWebhooks(withQueryBudget(limited, left), now),
      sweepProxies(withQueryBudget(limited, QUERIES.proxies), now),
    ]);
  },
} satisfies ExportedHandler<Env>;
