import { Hono } from "hono";
import { isOperator } from "../../features/organizations/index.ts";
import { ServiceError } from "../../lib/common/errors.ts";
import { logError } from "../../lib/common/log.ts";
import { requireConfiguration } from "../../lib/common/settings.ts";

/** Whether the settings and secrets are valid. Only the operator sees what is wrong with them. */
export const healthRoutes = new Hono<{ Bindings: Env }>();

healthRoutes.get("/health", async (c) => {
  try {
    requireConfiguration(c.env);
    return c.json({ status: "ok" });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    logError("misconfigured", error.cause);
    const showsCause =
      error.cause instanceof Error && (await isOperator(c.env, c.req.header("authorization")));
    const message = showsCause ? String(error.cause) : error.message;
    return c.json({ status: "misconfigured", message }, 503, { "retry-after": "60" });
  }
});
