import type { Run } from "../../organizations/index.ts";
import { runKeys } from "./run-key.ts";

/** How long an answer is good. */
const CACHE_TTL_MS = 1000;

/** What the objects of invocations have answered last, by the invocations' ids; the oldest answer is the first. */
const answers = new Map<string, { at: number; isUnderWay: boolean }>();

/**
 * Whether an invocation has not finished; one that has just finished may pass for one that has not for a second. So
 * often its object is asked, by each isolate that wants to know, however many requests its run makes.
 */
export async function isRunActive(env: Env, run: Omit<Run, "expiresAt">): Promise<boolean> {
  const known = answers.get(run.invocationId);
  if (known !== undefined && isFresh(known.at)) return known.isUnderWay;
  const isUnderWay = await runKeys.isUnderWay(env, run);
  forgetOldAnswers();
  answers.delete(run.invocationId);
  answers.set(run.invocationId, { at: Date.now(), isUnderWay });
  return isUnderWay;
}

function forgetOldAnswers(): void {
  for (const [invocationId, { at }] of answers) {
    if (isFresh(at)) return;
    answers.delete(invocationId);
  }
}

function isFresh(at: number): boolean {
  return Date.now() - at < CACHE_TTL_MS;
}
