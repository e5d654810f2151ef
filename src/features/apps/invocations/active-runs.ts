import type { Run } from "../../organizations/index.ts";
import { runKeys } from "./run-key.ts";

const CACHE_TTL_MS = 1000;

/** By invocation, the oldest answer first. */
const answers = new Map<string, { at: number; isActive: boolean }>();

/** Whether an invocation is unfinished, as of the last second. Caching spares its object most requests. */
export async function isRunActive(env: Env, run: Omit<Run, "expiresAt">): Promise<boolean> {
  const cached = answers.get(run.invocationId);
  if (cached !== undefined && isFresh(cached.at)) return cached.isActive;
  const isActive = await runKeys.isActive(env, run);
  evictOldAnswers();
  answers.delete(run.invocationId);
  answers.set(run.invocationId, { at: Date.now(), isActive });
  return isActive;
}

function evictOldAnswers(): void {
  for (const [invocationId, { at }] of answers) {
    if (isFresh(at)) return;
    answers.delete(invocationId);
  }
}

function isFresh(at: number): boolean {
  return Date.now() - at < CACHE_TTL_MS;
}
