import { z } from "zod";
import { signedTokens } from "../../../lib/common/signed-tokens.ts";
import type { Run, RunKeyVerifier } from "../../organizations/index.ts";

/** Lets secret scanners recognize a key. */
const PREFIX = "berth_run_";

export const RUN_KEY_ISSUER = "berth:runs";

const claimsSchema = z.object({
  sub: z.string(),
  organization: z.string(),
  project: z.string().default(""),
  exp: z.number(),
});

/** A key for an invocation's code until its end. @param run.expiresAt milliseconds since the epoch. */
export async function createRunKey(env: Env, run: Run): Promise<string> {
  const { organizationId, projectId, invocationId, expiresAt } = run;
  const claims = { sub: invocationId, organization: organizationId, project: projectId };
  // Tokens round the time down, and the key must outlive the invocation.
  const times = { now: Date.now(), expiresAt: expiresAt + 1000 };
  return PREFIX + (await signedTokens(env, RUN_KEY_ISSUER).sign(claims, times));
}

/** Reads and checks the keys of runs, for `authenticateCaller`. */
export const runKeys: RunKeyVerifier = {
  async read(env, key) {
    if (!key.startsWith(PREFIX)) return undefined;
    try {
      const payload = await signedTokens(env, RUN_KEY_ISSUER).read(key.slice(PREFIX.length));
      const { sub, organization, project, exp } = claimsSchema.parse(payload);
      return { invocationId: sub, organizationId: organization, projectId: project, expiresAt: exp * 1000 };
    } catch {
      return undefined;
    }
  },

  isActive: (env, { invocationId, organizationId }) =>
    env.INVOCATION.getByName(invocationId).authorizeRun(organizationId),
};
