import { z } from "@hono/zod-openapi";
import type { CallerEnv } from "../../features/organizations/index.ts";
import { callSession, liveViewURL, sessionObject, urlTokens } from "../../features/sessions/index.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { textOf } from "../../lib/http/fields.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { newRouter } from "../../lib/http/router.ts";
import { createLiveViewURLSchema, liveViewURLSchema } from "./schema.ts";

const route = routesOf("Live view", API_KEY_SECURITY);

const params = z.object({ id: textOf("The session's id or name.") });

export const liveViewRoutes = newRouter<CallerEnv>();

liveViewRoutes.openapi(
  route("post", "/browsers/{id}/live_view_urls", {
    operationId: "makeLinkToSessionLiveView",
    summary: "Make a link to a session's live view",
    description: "Lets people watch or control a session. The link is valid until the session ends.",
    request: {
      params,
      body: jsonRequest(createLiveViewURLSchema),
    },
    responses: { 200: jsonResponse(liveViewURLSchema, "The link.") },
  }),
  async (c) => {
    const { caller } = c.var;
    const { mode, expires_in_seconds } = c.req.valid("json");
    const reference = { caller, idOrName: c.req.valid("param").id };
    const { sessionId, grant } = await callSession(c.env, reference, (id) =>
      sessionObject(c.env, id).requireLiveView(caller),
    );
    c.set("sessionId", sessionId);
    const { tokenLifetimeMs } = readSettings(c.env);
    const lifetimeMs = Math.min(tokenLifetimeMs, (expires_in_seconds ?? Number.POSITIVE_INFINITY) * 1000);
    const now = Date.now();
    const tokens = urlTokens(c.env, tokenLifetimeMs);
    const token = await tokens.sign(sessionId, `live:${mode}`, { ...grant, now, lifetimeMs });
    return c.json(
      {
        url: liveViewURL(c.env, c.req, sessionId, token),
        mode,
        expires_at: new Date(now + lifetimeMs).toISOString(),
      },
      200,
    );
  },
);

liveViewRoutes.openapi(
  route("get", "/browsers/{id}/thumbnail", {
    operationId: "downloadSessionThumbnail",
    summary: "Download a small picture of a session",
    description: "Of the tab in front, at most 320 pixels wide and high. It does not keep the session alive.",
    request: { params },
    responses: {
      200: {
        description: "The picture, up to 3 seconds old.",
        content: { "image/jpeg": { schema: z.string().openapi({ format: "binary" }) } },
      },
      204: { description: "No picture: nothing is painted, or a handoff with `pause_agent` is pending." },
    },
    errors: [400],
  }),
  async (c) => {
    const { caller } = c.var;
    const reference = { caller, idOrName: c.req.valid("param").id };
    const picture = await callSession(c.env, reference, (id) =>
      sessionObject(c.env, id).readThumbnail(caller),
    );
    if (picture === undefined) return c.body(null, 204);
    const headers = { "x-content-type-options": "nosniff", "cache-control": "no-store" };
    return c.body(picture, 200, { ...headers, "content-type": "image/jpeg" });
  },
);
