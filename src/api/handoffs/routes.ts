import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type CallerEnv, mayControl } from "../../features/organizations/index.ts";
import {
  type AddressGrant,
  callSession,
  createHandoffSchema,
  type Handoff,
  type HandoffCall,
  handoffSchema,
  listPendingHandoffs,
  liveViewURL,
  pendingHandoffSchema,
  sessionObject,
  urlTokens,
  waitQuerySchema,
} from "../../features/sessions/index.ts";
import { notFound } from "../../lib/common/errors.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { textOf } from "../../lib/http/fields.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { pageQuerySchema, pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";

export const handoffRoutes = newRouter<CallerEnv>();

const route = routesOf("Live view", API_KEY_SECURITY);
const ofSession = z.object({ id: textOf("The session's id or name.") });
const ofHandoff = ofSession.extend({ handoff_id: textOf("The handoff's id.") });

handoffRoutes.openapi(
  route("post", "/browsers/{id}/handoffs", {
    operationId: "askPersonToTakeOver",
    summary: "Ask a person to take over",
    description: "Creates a link to the live view that shows the instructions and a Done button.",
    request: { params: ofSession, body: jsonRequest(createHandoffSchema) },
    responses: { 201: jsonResponse(handoffSchema, "The handoff.") },
  }),
  async (c) => c.json(await callForOne(c, { do: "request", body: c.req.valid("json") }), 201),
);

handoffRoutes.openapi(
  route("get", "/handoffs", {
    operationId: "listPendingHandoffs",
    summary: "List pending handoffs",
    description:
      "Of all sessions of the project. Those that expire first come first. It lags by up to a second.",
    request: { query: pageQuerySchema },
    responses: { 200: pageResponse(pendingHandoffSchema, "A page of handoffs.") },
  }),
  async (c) => {
    const page = c.req.valid("query");
    const rows = await listPendingHandoffs(openDatabase(c.env.DB), c.var.caller, page);
    const { items, headers } = toPage(rows, page);
    const present = async ({ id, name, lease, generation, handoff }: (typeof items)[number]) => ({
      ...(await presentHandoff(c, id, { lease: lease ?? undefined, generation }, handoff)),
      session_id: id,
      session_name: name,
    });
    return c.json(await Promise.all(items.map(present)), 200, headers);
  },
);

handoffRoutes.openapi(
  route("get", "/browsers/{id}/handoffs", {
    operationId: "listHandoffsOfSession",
    summary: "List the handoffs of a session",
    description: "The last 50.",
    request: { params: ofSession },
    responses: { 200: jsonResponse(handoffSchema.array(), "Newest first.") },
    errors: [400],
  }),
  async (c) => c.json(await call(c, { do: "list" }), 200),
);

handoffRoutes.openapi(
  route("get", "/browsers/{id}/handoffs/{handoff_id}", {
    operationId: "waitForHandoff",
    summary: "Wait for a handoff",
    description: "Responds as soon as the handoff has ended, or after `wait_seconds`.",
    request: { params: ofHandoff, query: waitQuerySchema },
    responses: { 200: jsonResponse(handoffSchema, "The handoff.") },
  }),
  async (c) => {
    const { handoff_id: id } = c.req.valid("param");
    // In short waits, because a wait outlives a caller that disconnects.
    for (let left = c.req.valid("query").wait_seconds; ; left -= 5) {
      const handoff = await callForOne(c, { do: "wait", id, seconds: Math.min(left, 5) });
      if (handoff.status !== "pending" || left <= 5) return c.json(handoff, 200);
    }
  },
);

handoffRoutes.openapi(
  route("delete", "/browsers/{id}/handoffs/{handoff_id}", {
    operationId: "withdrawHandoff",
    summary: "Withdraw a handoff",
    description: "Its link stops working. A handoff that has ended does not change.",
    request: { params: ofHandoff },
    responses: { 204: { description: "Withdrawn." } },
    errors: [400],
  }),
  async (c) => {
    await callForOne(c, { do: "withdraw", id: c.req.valid("param").handoff_id, seconds: 0 });
    return c.body(null, 204);
  },
);

type HandoffContext = Context<CallerEnv, "/browsers/:id">;

async function callForOne(c: HandoffContext, command: HandoffCall) {
  const [handoff] = await call(c, command);
  if (handoff === undefined) throw notFound("handoff");
  return handoff;
}

async function call(c: HandoffContext, command: HandoffCall): Promise<z.infer<typeof handoffSchema>[]> {
  const { caller } = c.var;
  const { sessionId, grant, handoffs } = await callSession(
    c.env,
    { caller, idOrName: c.req.param("id") },
    (id) => sessionObject(c.env, id).callHandoffs(caller, command),
  );
  c.set("sessionId", sessionId);
  return Promise.all(handoffs.map((handoff) => presentHandoff(c, sessionId, grant, handoff)));
}

/** With a newly signed link, if it is pending and the caller may control sessions. */
async function presentHandoff(
  c: Context<CallerEnv>,
  sessionId: string,
  grant: AddressGrant,
  handoff: Handoff,
): Promise<z.infer<typeof handoffSchema>> {
  if (handoff.status !== "pending" || !mayControl(c.var.caller)) return { ...handoff, live_view_url: null };
  const { tokenLifetimeMs } = readSettings(c.env);
  const lifetimeMs = Math.min(tokenLifetimeMs, Date.parse(handoff.expires_at) - Date.now());
  const options = { ...grant, handoff: handoff.handoff_id, lifetimeMs };
  const token = await urlTokens(c.env, tokenLifetimeMs).sign(sessionId, "live:control", options);
  return { ...handoff, live_view_url: liveViewURL(c.env, c.req, sessionId, token) };
}
