import { z } from "@hono/zod-openapi";
import type { CallerEnv } from "../../features/organizations/index.ts";
import { executeScript } from "../../features/playwright/index.ts";
import { callSession, sessionObject } from "../../features/sessions/index.ts";
import { textOf } from "../../lib/http/fields.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { newRouter } from "../../lib/http/router.ts";
import { requireFeatures } from "../../platform/capabilities/index.ts";
import { requireLoader } from "../../platform/dynamic-workers/index.ts";
import { executeSchema, executionSchema } from "./schema.ts";

const route = routesOf("Playwright", API_KEY_SECURITY);

export const playwrightRoutes = newRouter<CallerEnv>();

playwrightRoutes.openapi(
  route("post", "/browsers/{id}/playwright/execute", {
    operationId: "runCodeBesideBrowser",
    summary: "Run code beside the browser",
    description:
      "Runs Playwright code beside the session's browser and returns its result. `page` is the first page, as " +
      "the last call or client left it; variables are not kept between calls. `success` is false when the code throws, " +
      "times out, returns more than 4.5 MiB of JSON or logs more than 1 MiB. Up to 10 calls for one session run " +
      "concurrently. The code can reach only its own session. It ends when the caller disconnects.",
    request: {
      params: z.object({ id: textOf("The session's id or name.") }),
      body: jsonRequest(executeSchema),
    },
    responses: { 200: jsonResponse(executionSchema, "The outcome.") },
    errors: [501],
  }),
  async (c) => {
    requireLoader(c.env);
    await requireFeatures(c.env, ["code"]);
    const { code, timeout_sec } = c.req.valid("json");
    const reference = { caller: c.var.caller, idOrName: c.req.param("id") };
    const { use, ...session } = await callSession(c.env, reference, (id) => {
      c.set("sessionId", id);
      return sessionObject(c.env, id).beginRun(c.var.caller);
    });
    using _use = use;
    const outcome = await executeScript(c.env, {
      code,
      caller: c.var.caller,
      session,
      timeoutMs: timeout_sec * 1000,
      signal: c.req.raw.signal,
      waitUntil: (work) => c.executionCtx.waitUntil(work),
    });
    return c.json(outcome, 200);
  },
);
