import { sweepEach } from "../../lib/common/concurrency.ts";
import { logEvent } from "../../lib/common/log.ts";
import type { Region } from "../../lib/common/regions.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { closeBrowser } from "../browser/index.ts";
import { bindingOf, listAllBrowsers } from "./accounts.ts";
import type { BrowserRecord } from "./browser-records.ts";
import { GRACE_MS } from "./reconcile.ts";
import { listRegionsInUse } from "./store.ts";
import { brokerOf } from "./stub.ts";

/** Makes all brokers in use repair what crashes left. With OWNS_ALL_BROWSERS, unknown browsers are closed. */
export async function sweepBrowsers(env: Env, now: number): Promise<void> {
  const reconcile = async (region: Region | null) => brokerOf(env, region).reconcile(region, now);
  await sweepEach(await regionsInUse(env), reconcile);
  if (readSettings(env).ownsAllBrowsers) await closeUnknownBrowsers(env, now - GRACE_MS);
}

/** All browsers that this service launched and that are not gone, by their ids. */
export async function listOwnBrowsers(env: Env): Promise<Map<string, BrowserRecord>> {
  const regions = await regionsInUse(env);
  const lists = await Promise.all(regions.map(async (region) => brokerOf(env, region).listBrowsers()));
  return new Map(lists.flat().map((record) => [record.browserId, record]));
}

/** Launches that wait for a free browser, in all regions. */
export async function countWaitingLaunches(env: Env): Promise<number> {
  const regions = await regionsInUse(env);
  const counts = await Promise.all(regions.map(async (region) => brokerOf(env, region).countWaiting()));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function regionsInUse(env: Env): Promise<(Region | null)[]> {
  const since = Date.now() - readSettings(env).standby.idleMs - GRACE_MS;
  return [null, ...(await listRegionsInUse(openDatabase(env.DB), since))];
}

async function closeUnknownBrowsers(env: Env, before: number): Promise<void> {
  // Browsers that are launched between the two reads are younger than `before`.
  const { browsers } = await listAllBrowsers(env);
  const own = await listOwnBrowsers(env);
  const known = new Set([...own.keys(), ...(await env.PLATFORM_PROBE.getByName("probe").listBrowsers())]);
  const unknown = [...browsers].filter(([id, startedAt = before]) => startedAt < before && !known.has(id));
  if (unknown.length > 0) logEvent("unknown_browsers_closed", { browsers: unknown.length });
  await sweepEach(unknown, ([id]) => closeBrowser(bindingOf(env, id), id));
}
