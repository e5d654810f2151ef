import { type Context, Hono, type HonoRequest } from "hono";
import { runKeys } from "../../features/apps/index.ts";
import { authenticateCaller, type CallerEnv } from "../../features/organizations/index.ts";
import { presentWithURLs, publicOrigin, toWebSocketOrigin } from "../../features/sessions/index.ts";
import { requireFound } from "../../lib/common/errors.ts";
import { isUpgrade } from "../../lib/http/upgrade.ts";
import { readDevTools } from "../cdp/routes.ts";
import { recordCalls } from "../record-calls.ts";
import { BROWSER_RUN_PATH, selectDialect } from "./dialects.ts";
import { KEY_PARAMETERS, readConnectKey } from "./key.ts";
import { findUsableSession, grantOf, openBrowser } from "./open-browser.ts";
import { ConnectQuery, type ConnectRequest } from "./request.ts";

type Serve = (c: Context<CallerEnv>, request: ConnectRequest) => Promise<Response>;

const PATHS = ["", "/connect", "/chromium", "/chrome", BROWSER_RUN_PATH];

/** What is available below each of the paths. */
const ADDRESSES: [address: string, serve: Serve][] = [
  ["", openBrowser],
  ["/json/version", describeVersion],
  ["/json", listPages],
  ["/json/list", listPages],
  ["/json/protocol", describeProtocol],
];

/** Connect URLs: one address creates a session and connects to it. The API key in the URL authenticates. */
export const connectRoutes = new Hono<CallerEnv>();

/** A call may do what the key allows for an operation. */
function callerOf(operation: string) {
  return [
    authenticateCaller(runKeys, { readKey: readConnectKey, operation }),
    recordCalls(() => "connect"),
  ] as const;
}

const CREATION = callerOf("POST /browsers");
const CONTROL = callerOf("PATCH /browsers/:id_or_name");

for (const path of PATHS) {
  for (const [address, serve] of ADDRESSES) {
    const caller = address === "" ? CREATION : CONTROL;
    for (const slash of ["", "/"]) {
      const route = `${path}${address}${slash}`;
      if (route !== "") connectRoutes.get(route, ...caller, (c) => withRequest(c, path, serve));
    }
  }
}

connectRoutes.get(`${BROWSER_RUN_PATH}/:sessionId`, ...CONTROL, (c) =>
  openBrowser(c, { kind: "existing", sessionId: c.req.param("sessionId") }),
);

/** Whether a request for `/`, which is also the address of the documentation, is for a browser. */
export function isForBrowser(request: HonoRequest): boolean {
  return isUpgrade(request) || KEY_PARAMETERS.some((name) => request.query(name));
}

/** @throws ServiceError 400 that names the parameters, including for what fails later. */
async function withRequest(c: Context<CallerEnv>, path: string, serve: Serve): Promise<Response> {
  const { searchParams } = new URL(c.req.url);
  const query = new ConnectQuery(searchParams, selectDialect(path, searchParams));
  try {
    return await serve(c, query.read());
  } catch (error) {
    throw query.rename(error);
  }
}

/** Creates nothing: many clients ask more than once, and some do not connect afterwards. */
async function describeVersion(c: Context<CallerEnv>): Promise<Response> {
  const { pathname, searchParams } = new URL(c.req.url);
  const path = pathname.replace(/\/json\/version\/?$/, "") || "/";
  const hasKey = KEY_PARAMETERS.some((name) => searchParams.get(name));
  // The client may send its header to this address only.
  if (!hasKey) searchParams.set("api_key", readConnectKey(c.req));
  const webSocketDebuggerUrl = `${toWebSocketOrigin(publicOrigin(c.env, c.req))}${path}?${searchParams}`;
  return c.json({ Browser: "Chrome", "Protocol-Version": "1.3", webSocketDebuggerUrl });
}

/** Before the session exists, it has no pages. */
async function listPages(c: Context<CallerEnv>, request: ConnectRequest): Promise<Response> {
  return (await describeSession(c, request, "list")) ?? c.json([]);
}

async function describeProtocol(c: Context<CallerEnv>, request: ConnectRequest): Promise<Response> {
  return requireFound(await describeSession(c, request, "protocol"), "open session that the URL names");
}

async function describeSession(
  c: Context<CallerEnv>,
  request: ConnectRequest,
  document: "list" | "protocol",
): Promise<Response | undefined> {
  const named = request.kind === "existing" ? request.sessionId : request.body.name;
  const row = named === undefined ? undefined : await findUsableSession(c.env, c.var.caller, named);
  if (row === undefined) return undefined;
  const { cdp_ws_url } = await presentWithURLs(c.env, c.req, row, c.var.caller);
  return readDevTools(c.env, document, { id: row.id, url: cdp_ws_url, grant: grantOf(row) });
}
