import { followChain } from "./chain.ts";
import { readLines } from "./files.ts";
import type { Verification } from "./schema.ts";
import { auditLogObject } from "./stub.ts";

const MAX_ENTRIES = 100_000;

/** Follows the chain through the entries that were recorded on a day, from after an entry. */
export async function verifyDay(
  env: Env,
  organizationId: string,
  { day, after }: { day: string; after: number },
): Promise<Verification> {
  const log = auditLogObject(env, organizationId);
  let part = await log.readDay(organizationId, day, after);
  const first_sequence = part.start.sequence + 1;
  let end = part.start;
  const answer = (valid: boolean, complete: boolean): Verification => {
    return { valid, complete, first_sequence, last_sequence: end.sequence, hash: end.hash };
  };
  for (; part.segments.length > 0; part = await log.readDay(organizationId, day, end.sequence)) {
    for (const segment of part.segments) {
      end = followChain(end, await readLines(env.FILES, organizationId, segment));
      if (end.sequence !== segment.last || end.hash !== segment.hash) return answer(false, true);
      if (end.sequence - first_sequence >= MAX_ENTRIES) return answer(true, false);
    }
  }
  return answer(end.sequence === part.last, true);
}
