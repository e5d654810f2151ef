import { type Context, Hono, type HonoRequest } from "hono";
import { runKeys } from "../apps/index.ts";
import { notFound } from "../common/errors.ts";
import { isUpgrade, requireUpgrade } from "../http/upgrade.ts";
import { authenticateCaller, type CallerEnv, refuseProjects } from "../organizations/index.ts";
import {
  presentWithURLs,
  publicOrigin,
  readDevTools,
  recordCalls,
  toWebSocketOrigin,
} from "../sessions/index.ts";
import { BROWSER_RUN_PATH, selectDialect } from "./dialects.ts";
import { KEY_PARAMETERS, readConnectKey } from "./key.ts";
import { findUsableSession, openBrowser } from "./open-browser.ts";
import { ConnectQuery, type ConnectRequest } from "./request.ts";

const PATHS = ["", "/connect", "/chromium", "/chrome", BROWSER_RUN_PATH];

/** Connect URLs: one address that creates a session and connects to it. Authenticated by an API key in the URL. */
export const connectRoutes = new Hono<CallerEnv>();

const caller = [
  authenticateCaller(runKeys, readConnectKey),
  refuseProjects,
  recordCalls(() => "connect"),
] as const;

for (const path of PATHS) {
  for (const slash of path === "" ? ["/"] : ["", "/"]) {
    connectRoutes.get(`${path}${slash}`, ...caller, (c) => {
      requireUpgrade(c.req);
      return withRequest(c, path, (request) => openBrowser(c, request));
    });
  }
  for (const slash of ["", "/"]) {
    connectRoutes.get(`${path}/json/version${slash}`, ...caller, (c) =>
      withRequest(c, path, () => describeVersion(c)),
    );
    for (const list of ["/json", "/json/list"]) {
      connectRoutes.get(`${path}${list}${slash}`, ...caller, (c) =>
        withRequest(c, path, (request) => describeSession(c, request, "list")),
      );
    }
    connectRoutes.get(`${path}/json/protocol${slash}`, ...caller, (c) =>
      withRequest(c, path, (request) => describeSession(c, request, "protocol")),
    );
  }
}

connectRoutes.get(`${BROWSER_RUN_PATH}/:sessionId`, ...caller, (c) => {
  requireUpgrade(c.req);
  return openBrowser(c, { kind: "existing", sessionId: c.req.param("sessionId") });
});

/** Whether a request for `/`, which is also the address of the documentation, is for a browser. */
export function isForBrowser(request: HonoRequest): boolean {
  return isUpgrade(request) || KEY_PARAMETERS.some((name) => request.query(name) !== undefined);
}

/** @throws ServiceError 400 that names the parameters, also if `work` fails for one. */
async function withRequest(
  c: Context<CallerEnv>,
  path: string,
  work: (request: ConnectRequest) => Promise<Response>,
): Promise<Response> {
  const { searchParams } = new URL(c.req.url);
  const query = new ConnectQuery(searchParams, selectDialect(path, searchParams));
  const request = query.read();
  try {
    return await work(request);
  } catch (error) {
    throw query.rename(error);
  }
}

/** Creates nothing: many clients ask more than once, and some do not connect afterwards. */
async function describeVersion(c: Context<CallerEnv>): Promise<Response> {
  const { pathname, searchParams } = new URL(c.req.url);
  const path = pathname.replace(/\/json\/version\/?$/, "") || "/";
  // The client may send its header to this address only.
  if (!KEY_PARAMETERS.some((name) => searchParams.has(name)))
    searchParams.set("api_key", readConnectKey(c.req));
  const webSocketDebuggerUrl = `${toWebSocketOrigin(publicOrigin(c.env, c.req))}${path}?${searchParams}`;
  return c.json({ Browser: "Chrome", "Protocol-Version": "1.3", webSocketDebuggerUrl });
}

/** Describes the open session that the URL names. Without one, there are no pages yet. */
async function describeSession(
  c: Context<CallerEnv>,
  request: ConnectRequest,
  document: "list" | "protocol",
): Promise<Response> {
  const named = request.kind === "existing" ? request.sessionId : request.body.name;
  const row = named === undefined ? undefined : await findUsableSession(c.env, c.var.caller, named);
  if (row !== undefined) {
    const { cdp_ws_url } = await presentWithURLs(c.env, c.req, row);
    const grant = { lease: row.lease ?? undefined, generation: row.urlGeneration };
    return readDevTools(c.env, document, { id: row.id, url: cdp_ws_url, grant });
  }
  if (document === "list") return c.json([]);
  throw notFound("open session, which would have a protocol,");
}
