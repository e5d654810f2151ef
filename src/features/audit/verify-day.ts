import { followChain } from "./chain.ts";
import type { Verification, VerificationQuery } from "./schema.ts";
import { readLines } from "./segments.ts";

/** One call verifies about this many entries. */
const MAX_VERIFIED = 100_000;

/** Follows the chain through the entries recorded on a day, starting after an entry. */
export async function verifyDay(
  env: Env,
  organizationId: string,
  { day, after }: VerificationQuery,
): Promise<Verification> {
  const log = env.AUDIT_LOG.getByName(organizationId);
  let listed = await log.listDay(organizationId, { day, after });
  let end = listed.before;
  const first_sequence = end.sequence + 1;
  const answer = (valid: boolean, complete = true): Verification => {
    return { valid, complete, first_sequence, last_sequence: end.sequence, hash: end.hash };
  };
  while (listed.segments.length > 0) {
    for (const segment of listed.segments) {
      end = followChain(end, await readLines(env, organizationId, segment));
      if (end.sequence !== segment.last || end.hash !== segment.hash) return answer(false);
    }
    if (end.sequence - first_sequence >= MAX_VERIFIED) return answer(true, false);
    listed = await log.listDay(organizationId, { day, after: end.sequence });
  }
  return answer(end.sequence === listed.last);
}
