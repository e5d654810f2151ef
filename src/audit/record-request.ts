import type { Context, MiddlewareHandler } from "hono";
import { logError } from "../common/log.ts";
import { readSettings } from "../common/settings.ts";
import { matchedRoute } from "../http/request-log.ts";
import type { CallerEnv } from "../organizations/index.ts";
import { describeCall, type NewEntry } from "./entry.ts";
import { AuditRecorder } from "./recorder.ts";

type Variables = Partial<CallerEnv["Variables"]>;
type RecordedContext = Context<{ Bindings: Env; Variables: Variables }>;

const recorder = new AuditRecorder();

/** Records the calls of organizations in their audit logs, after the answer. */
export const recordRequest: MiddlewareHandler = async (c: RecordedContext, next) => {
  const startedAt = Date.now();
  await next();
  try {
    const identity = identify(c.var);
    if (identity === undefined || readSettings(c.env).auditLogRetentionMs === 0) return;
    const times = { startedAt, answeredAt: Date.now() };
    const answer = { route: matchedRoute(c), status: c.res.status, ...times };
    const entry = describeCall({ request: c.req.raw, ...answer }, identity);
    const { caller, sessionId } = c.var;
    const owner = caller === undefined ? { sessionId } : { organizationId: caller.organizationId };
    const work = recorder.add(c.env, { ...owner, entry });
    if (work !== undefined) c.executionCtx.waitUntil(work);
  } catch (error) {
    // The call has been answered.
    logError("audit_entry_lost", error);
  }
};

/** @returns undefined for calls of nobody, such as refused ones. */
function identify({
  caller,
  sessionId,
  consoleSession,
}: Variables): Pick<NewEntry, "auth_strategy" | "user_id"> | undefined {
  if (caller?.scope === "invocation")
    return { auth_strategy: "invocation_key", user_id: caller.invocationId };
  if (caller !== undefined) {
    return {
      auth_strategy: consoleSession === undefined ? "api_key" : "console_session",
      user_id: caller.keyId,
    };
  }
  return sessionId === undefined ? undefined : { auth_strategy: "signed_url", user_id: "" };
}
