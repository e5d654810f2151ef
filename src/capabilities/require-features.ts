import { ServiceError } from "../common/errors.ts";
import { openDatabase } from "../database/client.ts";
import type { CapabilityRow } from "../database/schema/capabilities.ts";
import { describeObstacle, type Feature, findObstacle } from "./features.ts";
import { listCapabilities, storeCapability } from "./store.ts";

/** How long an isolate uses the results that it has read. */
const CACHE_MS = 60_000;

let cached: { rows: CapabilityRow[]; readAt: number } | undefined;

/**
 * Refuses features that the platform was seen not to support. Without features it reads nothing.
 *
 * @param features by the field that asks for them.
 * @throws ServiceError 501 that names the field, what was seen, and when.
 */
export async function requireFeatures(env: Env, features: readonly Feature[]): Promise<void> {
  if (features.length === 0) return;
  const rows = await readCached(env);
  for (const feature of features) {
    const obstacle = findObstacle(feature, rows);
    if (obstacle === undefined) continue;
    const message = describeObstacle(obstacle);
    throw new ServiceError("not_implemented", `${feature}: ${message}`, {
      problems: [{ field: feature, message }],
      shouldRetry: false,
    });
  }
}

/** Stores a result. Other isolates notice it within a minute. */
export async function recordCapability(env: Env, row: CapabilityRow): Promise<void> {
  await storeCapability(openDatabase(env.DB), row);
  cached = undefined;
}

async function readCached(env: Env): Promise<CapabilityRow[]> {
  if (cached !== undefined && Date.now() - cached.readAt < CACHE_MS) return cached.rows;
  const rows = await listCapabilities(openDatabase(env.DB));
  cached = { rows, readAt: Date.now() };
  return rows;
}
