import { sql } from "drizzle-orm";
import { describeProblem, ServiceError } from "../../lib/common/errors.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { type CapabilityRow, capabilities } from "../../lib/database/schema/capabilities.ts";
import { type Feature, findObstacle } from "./features.ts";

/** How long an isolate uses the results that it has read. */
const CACHE_MS = 60_000;

let cached: { rows: CapabilityRow[]; readAt: number } | undefined;

/** The last results of the checks that were tried. */
export function listCapabilities(env: Env): Promise<CapabilityRow[]> {
  return openDatabase(env.DB).select().from(capabilities);
}

/** Keeps a known outcome when a check could not be tried. Other isolates notice a result within a minute. */
export async function recordCapability(env: Env, row: CapabilityRow): Promise<void> {
  await openDatabase(env.DB)
    .insert(capabilities)
    .values(row)
    .onConflictDoUpdate({
      target: capabilities.name,
      set: row,
      setWhere: sql`excluded.outcome <> 'untried' OR ${capabilities.outcome} = 'untried'`,
    });
  cached = undefined;
}

/**
 * Refuses features that the platform turned out not to support. Without features, it reads nothing.
 *
 * @param features by the field that asks for them.
 * @throws ServiceError 501 that names the field, what was seen, and when.
 */
export async function requireFeatures(env: Env, features: readonly Feature[]): Promise<void> {
  if (features.length === 0) return;
  if (cached === undefined || Date.now() - cached.readAt > CACHE_MS) {
    cached = { rows: await listCapabilities(env), readAt: Date.now() };
  }
  for (const field of features) {
    const message = findObstacle(field, cached.rows);
    if (message === undefined) continue;
    const problem = { field, message };
    throw new ServiceError("not_implemented", describeProblem(problem), {
      problems: [problem],
      shouldRetry: false,
    });
  }
}
