import { z } from "zod";
import type { Connection } from "../connection/puppeteer.ts";
import type { BrowserProxy } from "./browser-proxy.ts";

/** Replaces the default context in sessions with a proxy, because a context's proxy is fixed when created. */
export interface MainContext {
  id: string;
  defaultId: string;
  proxy?: ContextProxy;
}

export interface ContextProxy {
  proxyServer: string;
  proxyBypassList: string;
}

/** Disables Chrome's implicit proxy bypass for local hosts. Later entries take precedence. */
const NO_IMPLICIT_BYPASS = "<-loopback>";

/** This property is missing in the protocol version that Puppeteer pins. */
const contextsSchema = z.object({ defaultBrowserContextId: z.string().optional() });

function toContextProxy({ server, bypassHosts }: BrowserProxy): ContextProxy {
  return { proxyServer: server, proxyBypassList: [NO_IMPLICIT_BYPASS, ...bypassHosts].join(",") };
}

export async function openMainContext(
  connection: Connection,
  proxy: BrowserProxy | undefined,
): Promise<MainContext> {
  const contextProxy = proxy === undefined ? undefined : toContextProxy(proxy);
  const defaultId = await findDefaultContext(connection);
  const { browserContextId } = await connection.send("Target.createBrowserContext", { ...contextProxy });
  return { id: browserContextId, defaultId, ...(contextProxy === undefined ? {} : { proxy: contextProxy }) };
}

/** Older browsers do not report the id: there, a target outside the listed contexts is in the default one. */
async function findDefaultContext(connection: Connection): Promise<string> {
  const [contexts, { targetInfos }] = await Promise.all([
    connection.send("Target.getBrowserContexts"),
    connection.send("Target.getTargets", { filter: [{}] }),
  ]);
  const reported = contextsSchema.parse(contexts).defaultBrowserContextId;
  if (reported !== undefined) return reported;
  const { browserContextIds } = contexts;
  const ids = targetInfos.map(({ browserContextId }) => browserContextId);
  return ids.find((id) => id !== undefined && !browserContextIds.includes(id)) ?? "";
}
