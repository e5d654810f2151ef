import { Meter } from "../../ui/chart.tsx";
import { Facts } from "../../ui/facts.tsx";
import { formatDollars } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { TimeLeft } from "../../ui/time.tsx";

interface BudgetProps {
  /** US dollars a month; null: none. */
  soft: number | null;
  hard: number | null;
  /** The end of the month whose hard budget is used up. */
  exceededUntil?: string | null;
  /** What this month costs so far; absent: another period is shown. */
  spent?: number;
}

/** The budgets of an organization, and how much of them is used. */
export function Budget({ soft, hard, exceededUntil, spent }: BudgetProps) {
  if (soft === null && hard === null) return null;
  return (
    <Section title="Budget">
      {exceededUntil && (
        <p class="problem" role="alert">
          This month's budget is used up. Sessions and invocations are refused until the month ends, in{" "}
          <TimeLeft until={exceededUntil} />, or until the operator raises it.
        </p>
      )}
      {spent !== undefined && (
        <Meter label="This month" value={spent} limit={hard ?? soft ?? 0} format={formatDollars} />
      )}
      <Facts
        facts={[
          ["Soft budget (webhooks)", soft !== null && `${formatDollars(soft)} per month`],
          ["Hard budget (blocks new activity)", hard !== null && `${formatDollars(hard)} per month`],
        ]}
      />
    </Section>
  );
}
