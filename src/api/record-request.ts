import type { Context, MiddlewareHandler } from "hono";
import { AuditRecorder, describeCall, type NewEntry } from "../features/audit/index.ts";
import type { CallerEnv } from "../features/organizations/index.ts";
import { logError } from "../lib/common/log.ts";
import { readSettings } from "../lib/common/settings.ts";
import { matchedRoute } from "../lib/http/request-log.ts";

type Variables = Partial<CallerEnv["Variables"]>;

export const recorder = new AuditRecorder();

/** Records the calls of organizations in their audit logs, after the answer. */
export const recordRequest: MiddlewareHandler = async (
  c: Context<{ Bindings: Env; Variables: Variables }>,
  next,
) => {
  const startedAt = Date.now();
  await next();
  try {
    const identity = identify(c.var);
    if (identity === undefined || readSettings(c.env).auditLogRetentionMs === 0) return;
    const answer = { route: matchedRoute(c), status: c.res.status, startedAt, answeredAt: Date.now() };
    const entry = describeCall(c.req.raw, { ...answer, ...identity });
    const { caller, sessionId = "" } = c.var;
    const owner = caller === undefined ? { sessionId } : { organizationId: caller.organizationId };
    const work = recorder.add(c.env, { ...owner, entry });
    if (work !== undefined) c.executionCtx.waitUntil(work);
  } catch (error) {
    // The call has been answered.
    logError("audit_entry_lost", error);
  }
};

/** @returns undefined for calls without a known caller, such as those with a wrong key. */
function identify({ caller, sessionId, consoleSession }: Variables) {
  const by = (auth_strategy: NewEntry["auth_strategy"], user_id: string) => ({ auth_strategy, user_id });
  if (caller?.scope === "invocation") return by("invocation_key", caller.invocationId);
  if (caller !== undefined)
    return by(consoleSession === undefined ? "api_key" : "console_session", caller.keyId);
  return sessionId === undefined ? undefined : by("signed_url", "");
}
