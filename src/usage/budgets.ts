import { and, eq, gt, isNotNull, isNull, lt, lte, or } from "drizzle-orm";
import { readSettings } from "../common/settings.ts";
import { openDatabase } from "../database/client.ts";
import { type OrganizationRow, organizations } from "../database/schema/organizations.ts";
import { type Background, emitEvent } from "../webhooks/index.ts";
import { estimateCosts } from "./costs.ts";
import { readUsage } from "./store.ts";

/** The calendar month in UTC, in milliseconds since the epoch. */
export function monthOf(now: number): { start: number; end: number } {
  const date = new Date(now);
  const startOf = (month: number) => Date.UTC(date.getUTCFullYear(), month);
  return { start: startOf(date.getUTCMonth()), end: startOf(date.getUTCMonth() + 1) };
}

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
  const costs = await readCosts(background.env, limited, now);
  for (const organization of limited) {
    const usd = costs.get(organization.id) ?? 0;
    if (changesBudgetState(organization, usd, now))
      await writeBudgetState(background, organization, usd, now);
  }
}

/** Whether the row of an organization that has used `usd` this month says something else. */
export function changesBudgetState(
  organization: Pick<
    OrganizationRow,
    "softBudgetUSD" | "hardBudgetUSD" | "budgetWarnedAt" | "overBudgetUntil"
  >,
  usd: number,
  now: number,
): boolean {
  const { softBudgetUSD: soft, hardBudgetUSD: hard, budgetWarnedAt, overBudgetUntil } = organization;
  const isWarned = (budgetWarnedAt ?? 0) >= monthOf(now).start;
  const isOver = (overBudgetUntil ?? 0) > now;
  return (soft !== null && usd >= soft && !isWarned) || (hard !== null && usd >= hard) !== isOver;
}

/** Estimated dollars of this month, by organization. */
async function readCosts(env: Env, of: OrganizationRow[], now: number): Promise<Map<unknown, number>> {
  const { prices } = readSettings(env);
  const { start, end } = monthOf(now);
  const filter = { organizationIds: of.map(({ id }) => id), from: start, to: end, now };
  const { groups } = await readUsage(openDatabase(env.DB), filter, { groupBy: "organization" });
  return new Map(groups.map(({ group, ...use }) => [group, estimateCosts(use, prices).total]));
}

/** Each update repeats its condition, so that concurrent runs announce a budget once and a raised budget is not used up. */
async function writeBudgetState(
  background: Background,
  { id }: OrganizationRow,
  usd: number,
  now: number,
): Promise<void> {
  const database = openDatabase(background.env.DB);
  const { start, end } = monthOf(now);
  const { softBudgetUSD, hardBudgetUSD, budgetWarnedAt, overBudgetUntil } = organizations;
  const isOpen = or(isNull(overBudgetUntil), lte(overBudgetUntil, now));
  const update = (change: Partial<OrganizationRow>, ...conditions: Parameters<typeof and>) =>
    database
      .update(organizations)
      .set(change)
      .where(and(eq(organizations.id, id), ...conditions))
      .returning();
  const [[warned], [exceeded]] = await database.batch([
    update(
      { budgetWarnedAt: now },
      lte(softBudgetUSD, usd),
      or(isNull(budgetWarnedAt), lt(budgetWarnedAt, start)),
    ),
    update({ overBudgetUntil: end }, lte(hardBudgetUSD, usd), isOpen),
    // The budget was raised or removed, or prices were lowered.
    update(
      { overBudgetUntil: null },
      gt(overBudgetUntil, now),
      or(isNull(hardBudgetUSD), gt(hardBudgetUSD, usd)),
    ),
  ]);
  const announce = (budget: "soft" | "hard", budget_usd: number | null) =>
    emitEvent(background, id, "organization.budget_reached", {
      budget,
      budget_usd,
      estimated_usd: usd,
      month: new Date(start).toISOString().slice(0, 7),
    });
  if (warned !== undefined) announce("soft", warned.softBudgetUSD);
  if (exceeded !== undefined) announce("hard", exceeded.hardBudgetUSD);
}
