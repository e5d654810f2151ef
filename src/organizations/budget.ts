import { type SQL, sql } from "drizzle-orm";
import { ServiceError } from "../common/errors.ts";
import type { Database } from "../database/client.ts";
import { organizations } from "../database/schema/organizations.ts";
import { findOrganization } from "./store.ts";

/** Whether the hard budget of the organization in a statement is not used up. */
export function isWithinBudget(now: number): SQL {
  return sql`coalesce(${organizations.overBudgetUntil}, 0) <= ${now}`;
}

/** @throws ServiceError 402 if the organization's hard budget is used up. */
export async function requireWithinBudget(database: Database, organizationId: string): Promise<void> {
  const until = (await findOrganization(database, organizationId))?.overBudgetUntil ?? 0;
  if (until <= Date.now()) return;
  throw new ServiceError(
    "budget_exceeded",
    `The organization's budget of this month (hard_budget_usd) is used up until ${new Date(until).toISOString()}; ask the operator to raise it`,
    { shouldRetry: false },
  );
}
