import { sweepInSteps } from "../../lib/common/concurrency.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { Background } from "../../lib/objects/background.ts";
import { checkBudgets } from "./budgets.ts";
import { removeUsageBefore, sampleStorage } from "./store.ts";
import { HOUR_MS, RETENTION_MS } from "./time.ts";

/** The next runs make up for a missed one. */
const SAMPLING_MS = 5 * 60_000;

/** Counts stored bytes at the beginning of each hour, checks budgets, and removes old usage. Never throws. */
export async function sweepUsage(background: Background, now: number): Promise<void> {
  const database = openDatabase(background.env.DB);
  await sweepInSteps([
    async () => now % HOUR_MS < SAMPLING_MS && (await sampleStorage(database, now)),
    () => checkBudgets(background, now),
    () => removeUsageBefore(database, now - RETENTION_MS),
  ]);
}
