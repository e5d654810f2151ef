import { z } from "zod";
import { signedTokens } from "../../common/signed-tokens.ts";
import type { KeysOfRuns, Run } from "../../organizations/index.ts";

/** Secret scanners can find it. */
const PREFIX = "berth_run_";

/** What tells these keys from other tokens that are signed with the same secret. */
export const RUN_KEY_ISSUER = "berth:runs";

const claimsSchema = z.object({ sub: z.string(), organization: z.string(), exp: z.number() });

/**
 * A key with which the code that an invocation runs calls this service. It opens the invocation's own sessions and the
 * invocation itself, and only while that is queued or running.
 *
 * @param run.expiresAt the latest that the invocation may run to, in milliseconds since the epoch.
 */
export async function createRunKey(env: Env, run: Run): Promise<string> {
  const { organizationId, invocationId, expiresAt } = run;
  const claims = { sub: invocationId, organization: organizationId };
  // A token's time is rounded down, and is not to be over before the invocation's is.
  const times = { now: Date.now(), expiresAt: expiresAt + 1000 };
  return PREFIX + (await signedTokens(env, RUN_KEY_ISSUER).sign(claims, times));
}

/** What the check of callers asks of the keys of runs. */
export const runKeys: KeysOfRuns = {
  async read(env, key) {
    if (!key.startsWith(PREFIX)) return undefined;
    try {
      const payload = await signedTokens(env, RUN_KEY_ISSUER).read(key.slice(PREFIX.length));
      const { sub, organization, exp } = claimsSchema.parse(payload);
      return { invocationId: sub, organizationId: organization, expiresAt: exp * 1000 };
    } catch {
      return undefined;
    }
  },

  isUnderWay: (env, { invocationId, organizationId }) =>
    env.INVOCATION.getByName(invocationId).authorizeRun(organizationId),
};
