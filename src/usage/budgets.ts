import { and, eq, isNotNull, or, sql } from "drizzle-orm";
import { readSettings } from "../common/settings.ts";
import { openDatabase } from "../database/client.ts";
import { type OrganizationRow, organizations } from "../database/schema/organizations.ts";
import { type Background, emitEvent } from "../webhooks/index.ts";
import { readUsage } from "./store.ts";
import { monthOf } from "./time.ts";

const FIELDS = ["softBudgetUSD", "hardBudgetUSD", "budgetWarnedAt", "overBudgetUntil"] as const;

type Budgets = Pick<OrganizationRow, (typeof FIELDS)[number]>;

/**
 * Announces budgets that are reached, and notes in the rows of organizations whose hard budget is used up. Costs one small
 * read while no organization has a budget.
 */
export async function checkBudgets(background: Background, now: number): Promise<void> {
  const database = openDatabase(background.env.DB);
  const limited = await database
    .select()
    .from(organizations)
    .where(or(isNotNull(organizations.softBudgetUSD), isNotNull(organizations.hardBudgetUSD)));
  if (limited.length === 0) return;
  const { start: from, end: to } = monthOf(now);
  const organizationIds = limited.map(({ id }) => id);
  const query = { organizationIds, from, to, now, groupBy: "organization", tag: undefined } as const;
  const { rows } = await readUsage(database, query, readSettings(background.env).prices);
  const costs = new Map(rows.map(({ group, estimated_usd }) => [group, estimated_usd.total]));
  for (const organization of limited) {
    await applyBudgets(background, organization, costs.get(organization.id) ?? 0, now);
  }
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

/** Changes the row only if it is still the given one, so that concurrent runs announce a budget once. */
async function applyBudgets(
  background: Background,
  organization: OrganizationRow,
  usd: number,
  now: number,
): Promise<void> {
  const { id, softBudgetUSD, hardBudgetUSD } = organization;
  const change = budgetChange(organization, usd, now);
  if (Object.keys(change).length === 0) return;
  const isUnchanged = FIELDS.map((field) => sql`${organizations[field]} IS ${organization[field]}`);
  const { meta } = await openDatabase(background.env.DB)
    .update(organizations)
    .set(change)
    .where(and(eq(organizations.id, id), ...isUnchanged));
  if (meta.changes === 0) return;
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
