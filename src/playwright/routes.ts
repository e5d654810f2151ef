import { createRoute, z } from "@hono/zod-openapi";
import { requireLoader } from "../dynamic-workers/index.ts";
import { jsonBody } from "../http/json-body.ts";
import { API_KEY_SECURITY, errorResponses, jsonRequest, jsonResponse } from "../http/openapi.ts";
import { newRouter } from "../http/router.ts";
import type { CallerEnv } from "../organizations/index.ts";
import { callSession, sessionObject } from "../sessions/index.ts";
import { executeScript } from "./execute-script.ts";
import { executeSchema, executionSchema } from "./schema.ts";

/** `/browsers/{id}/playwright`: code that runs beside a session's browser. */
export const playwrightRoutes = newRouter<CallerEnv>();

playwrightRoutes.openapi(
  createRoute({
    method: "post",
    path: "/browsers/{id}/playwright/execute",
    tags: ["Playwright"],
    security: API_KEY_SECURITY,
    summary: "Run code beside the browser",
    description:
      "Runs Playwright code next to the session's browser and answers with what it returns. `page` is the first page, " +
      "as the last call or client left it; variables are the call's own. Code that fails is a `success` of false, " +
      "and so is code that runs out of time, returns more than 4.5 MiB of JSON or logs more than 1 MiB. Calls for one " +
      "session run side by side, up to 10 of them, so that none waits for one that hangs. The code reaches its own session and nothing " +
      "else. It ends when its caller leaves.",
    middleware: jsonBody,
    request: {
      params: z.object({ id: z.string().openapi({ description: "The session's id or name." }) }),
      body: jsonRequest(executeSchema),
    },
    responses: {
      200: jsonResponse(executionSchema, "What became of it."),
      ...errorResponses(400, 404, 413, 429, 501),
    },
  }),
  async (c) => {
    requireLoader(c.env);
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
