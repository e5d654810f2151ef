import { sweepEach } from "../../lib/common/concurrency.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { queriesLeft } from "../../lib/database/query-budget.ts";
import type { OrganizationRow } from "../../lib/database/schema/organizations.ts";
import type { Background } from "../../lib/objects/background.ts";
import { type Budgets, changeBudgets, listOrganizationsWithBudgets } from "../organizations/index.ts";
import { emitEvent } from "../webhooks/index.ts";
import { readUsage } from "./store.ts";
import { monthOf } from "./time.ts";

const MINUTE_MS = 60_000;

/** Queries to read an organization's usage, change its row, and announce both budgets. */
const QUERIES_PER_ORGANIZATION = 5;

/** How many organizations the queries of one run are always enough for. */
const MIN_PER_RUN = 10;

/** Announces reached budgets, marks organizations that used up a hard one. One small read without budgets. */
export async function checkBudgets(background: Background, now: number): Promise<void> {
  const database = openDatabase(background.env.DB);
  const limited = await listOrganizationsWithBudgets(database);
  if (limited.length === 0) return;
  const { start: from, end: to } = monthOf(now);
  const { prices } = readSettings(background.env);
  // Each separately: one with too much usage to read must not keep the others from being checked.
  await sweepEach(inTurn(limited, now), async (organization) => {
    if (queriesLeft(background.env.DB) < QUERIES_PER_ORGANIZATION) return;
    const query = { organizationIds: [organization.id], from, to, now, groupBy: "organization" as const };
    const { total } = await readUsage(database, { ...query, tag: undefined }, prices);
    await applyBudgets(background, organization, total.estimated_usd.total ?? 0, now);
  });
}

/** Starts with a different organization each minute, because a run may not reach all of them. */
function inTurn<T>(items: readonly T[], now: number): T[] {
  const start = (Math.floor(now / MINUTE_MS) * MIN_PER_RUN) % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** What changes in the row of an organization that has used `usd` this month. */
export function budgetChange(budgets: Budgets, usd: number, now: number): Partial<Budgets> {
  const { softBudgetUSD: soft, hardBudgetUSD: hard, budgetWarnedAt, overBudgetUntil } = budgets;
  const { start, end } = monthOf(now);
  const isWarned = (budgetWarnedAt ?? 0) >= start;
  const isUsedUp = hard !== null && usd >= hard;
  const isNoted = (overBudgetUntil ?? 0) > now;
  return {
    ...(soft !== null && usd >= soft && !isWarned && { budgetWarnedAt: now }),
    ...(isUsedUp !== isNoted && { overBudgetUntil: isUsedUp ? end : null }),
  };
}

/** Concurrent runs announce a budget once. */
async function applyBudgets(
  background: Background,
  organization: OrganizationRow,
  usd: number,
  now: number,
): Promise<void> {
  const { id, softBudgetUSD, hardBudgetUSD } = organization;
  const change = budgetChange(organization, usd, now);
  if (Object.keys(change).length === 0) return;
  if (!(await changeBudgets(openDatabase(background.env.DB), organization, change))) return;
  const month = new Date(monthOf(now).start).toISOString().slice(0, 7);
  const announce = (budget: "soft" | "hard", budget_usd: number | null) =>
    emitEvent(background, id, "organization.budget_reached", {
      budget,
      budget_usd,
      estimated_usd: usd,
      month,
    });
  if (change.budgetWarnedAt) announce("soft", softBudgetUSD);
  if (change.overBudgetUntil) announce("hard", hardBudgetUSD);
}
