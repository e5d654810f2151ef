import { forEachConcurrently } from "../../lib/common/concurrency.ts";
import { logError } from "../../lib/common/log.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { queriesLeft } from "../../lib/database/query-budget.ts";
import type { ProxyRow } from "../../lib/database/schema/proxies.ts";
import { checkProxy } from "./check-proxy.ts";
import { listProxiesToCheck, recordHealth, removeUnusedProxies } from "./store.ts";

const MAX_CHECKS = 50;
const MAX_CONCURRENT_CHECKS = 5;

/** To record a check. */
const QUERIES_PER_CHECK = 4;

/** Later checks are left to the next run, which may start a minute after this one. */
const MAX_SWEEP_MS = 45_000;

/** Removes deleted proxies that nothing uses, and repeats checks that are too old. Never throws. */
export async function sweepProxies(env: Env, now: number): Promise<void> {
  try {
    await removeUnusedProxies(openDatabase(env.DB));
    await checkDueProxies(env, now);
  } catch (error) {
    logError("sweep_step_failed", error);
  }
}

async function checkDueProxies(env: Env, now: number): Promise<void> {
  const { checkMs } = readSettings(env).proxies;
  if (checkMs === 0) return;
  const database = openDatabase(env.DB);
  const end = Date.now() + MAX_SWEEP_MS;
  const check = async (row: ProxyRow) => {
    if (Date.now() < end && queriesLeft(env.DB) >= QUERIES_PER_CHECK)
      await recordHealth(database, row.id, await checkProxy(env, row));
  };
  const due = await listProxiesToCheck(database, now - checkMs, MAX_CHECKS);
  const onFailure = (error: unknown) => logError("proxy_check_failed", error);
  await forEachConcurrently(due, check, onFailure, MAX_CONCURRENT_CHECKS);
}
