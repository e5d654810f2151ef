import { z } from "zod";
import type { Connection } from "../connection/puppeteer.ts";
import type { BrowserProxy } from "./browser-proxy.ts";

/**
 * The context that stands in for the browser's default one: a proxy is a context's for as long as that lives, and the
 * default one can be given none.
 */
export interface MainContext {
  id: string;
  /** Of the browser's own default context, in which no page of the session is. */
  defaultId: string;
  /** What contexts that clients make are given too; absent: they are without a proxy. */
  proxy?: ContextProxy;
}

/** A proxy as `Target.createBrowserContext` takes it. */
export interface ContextProxy {
  proxyServer: string;
  proxyBypassList: string;
}

/** Takes back that hosts of the browser's own machine and network are reached without the proxy; later entries win. */
const NO_IMPLICIT_BYPASS = "<-loopback>";

/** The protocol's types, which Puppeteer pins, do not know it yet. */
const toldSchema = z.object({ defaultBrowserContextId: z.string().optional() });

/** A proxy as a context is told of it. */
function toContextProxy({ server, bypassHosts }: BrowserProxy): ContextProxy {
  return { proxyServer: server, proxyBypassList: [NO_IMPLICIT_BYPASS, ...bypassHosts].join(",") };
}

/** Makes a context that outlives the connection; no page is in it yet. */
export async function openMainContext(
  connection: Connection,
  proxy: BrowserProxy | undefined,
): Promise<MainContext> {
  const contextProxy = proxy === undefined ? undefined : toContextProxy(proxy);
  const defaultId = await findDefaultContext(connection);
  const { browserContextId } = await connection.send("Target.createBrowserContext", { ...contextProxy });
  return { id: browserContextId, defaultId, ...(contextProxy === undefined ? {} : { proxy: contextProxy }) };
}

/** Newer browsers tell. Else any target that is in none of the listed contexts is in the default one. */
async function findDefaultContext(connection: Connection): Promise<string> {
  const [contexts, { targetInfos }] = await Promise.all([
    connection.send("Target.getBrowserContexts"),
    connection.send("Target.getTargets", { filter: [{}] }),
  ]);
  const told = toldSchema.parse(contexts).defaultBrowserContextId;
  if (told !== undefined) return told;
  const { browserContextIds } = contexts;
  const ids = targetInfos.map(({ browserContextId }) => browserContextId);
  return ids.find((id) => id !== undefined && !browserContextIds.includes(id)) ?? "";
}
