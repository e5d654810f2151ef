import { z } from "@hono/zod-openapi";
import { PRICE_NAMES, type Prices } from "../common/prices.ts";
import { parseSince } from "../http/parse-since.ts";
import type { Use } from "./add-use.ts";
import { monthOf } from "./budgets.ts";
import { COST_NAMES, estimateCosts } from "./costs.ts";
import { HOUR_MS } from "./session-time.ts";
import { GROUPINGS, type Grouping, type Usage, type UsageFilter } from "./store.ts";

const MAX_RANGE_MS = 366 * 24 * HOUR_MS;

const DATE_FORMATS = "must be a date such as 2026-01-02 or an RFC 3339 time such as 2026-01-02T15:04:05Z";

const timeSchema = (description: string) =>
  z
    .string()
    .transform((text) => parseSince(text, Number.NaN))
    .pipe(z.number(DATE_FORMATS))
    .optional()
    .openapi({ type: "string", description, example: "2026-01-02", param: { required: false } });

const rangeShape = {
  from: timeSchema("Beginning, rounded down to an hour in UTC. Default: the beginning of the month."),
  to: timeSchema("End, rounded up to an hour in UTC, at most 366 days later. Default: now."),
  tag: z
    .string()
    .optional()
    .openapi({ description: "Name of the tag to group by, for `group_by=tag`.", example: "team" }),
};

const described = { description: "What the rows are sums of." };

interface UsageQuery {
  from?: number;
  to?: number;
  tag?: string;
  group_by: Grouping;
  organization_id?: string;
}

/** The rules that concern several parameters, and the range in whole hours. */
function toFilter({ from, to, tag, ...query }: UsageQuery, context: z.RefinementCtx) {
  const now = Date.now();
  const filter: UsageFilter = {
    organizationIds: query.organization_id === undefined ? undefined : [query.organization_id],
    from: Math.floor((from ?? monthOf(now).start) / HOUR_MS) * HOUR_MS,
    to: Math.ceil((to ?? now) / HOUR_MS) * HOUR_MS,
    now,
  };
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  if (filter.to < filter.from) refuse("to", "must not be before `from`");
  if (filter.to - filter.from > MAX_RANGE_MS) refuse("from", "must be at most 366 days before `to`");
  if (query.group_by === "tag" && !tag) refuse("tag", "is required for group_by=tag");
  return { filter, grouping: { groupBy: query.group_by, tag } };
}

export const usageQuerySchema = z
  .object({
    ...rangeShape,
    group_by: z.enum(GROUPINGS).exclude(["organization"]).default("day").openapi(described),
  })
  .transform(toFilter);

export const operatorUsageQuerySchema = z
  .object({
    ...rangeShape,
    organization_id: z.string().optional().openapi({ description: "Only this organization." }),
    group_by: z.enum(GROUPINGS).default("organization").openapi(described),
  })
  .transform(toFilter);

const dollars = z.number().openapi({ description: "In US dollars.", example: 0.25 });

const amount = (description: string) => z.number().openapi({ description, example: 120 });

const time = (description: string) =>
  z.iso.datetime().openapi({ description, example: "2026-01-02T00:00:00.000Z" });

const useSchema = z.object({
  browser_seconds: amount("Time of browsers, also of those that wait in a pool."),
  sessions: amount("Sessions, and leases of pools, that began."),
  invocations: amount("Invocations of apps that were accepted."),
  dynamic_workers: amount("Dynamic Workers that were loaded."),
  recorded_minutes: amount("Length of the recordings that were completed."),
  stored_byte_hours: amount("Stored bytes, summed over the hours."),
  proxied_bytes: amount("Bytes that sessions with a proxy received, as far as their requests were observed."),
  estimated_usd: z
    .record(z.enum(COST_NAMES), dollars)
    .openapi({ description: "Estimated costs in US dollars, by the prices of the service." }),
});

export const usageSchema = z
  .object({
    from: time("Beginning of the range."),
    to: time("End of the range."),
    group_by: z.enum(GROUPINGS).openapi({ ...described, example: "day" }),
    rows: z
      .array(
        useSchema.extend({
          group: z.string().nullable().openapi({
            description:
              "Beginning of the day or hour, id of the key, pool or organization, or value of the tag; null: none.",
            example: "2026-01-02T00:00:00.000Z",
          }),
        }),
      )
      .openapi({ description: "One per group with use, in order; at most 10,000." }),
    is_truncated: z.boolean().openapi({ description: "Whether there are more groups.", example: false }),
    total: useSchema.openapi({ description: "The sum of all groups." }),
    prices: z
      .record(z.enum(PRICE_NAMES), dollars)
      .openapi({ description: "The prices in US dollars that costs are estimated with." }),
  })
  .openapi("Usage");

const budget = (description: string) => z.number().nullable().openapi({ description, example: 100 });

export const organizationUsageSchema = usageSchema
  .extend({
    budget: z
      .object({
        soft_usd: budget("US dollars a month that are announced when they are reached; null: none."),
        hard_usd: budget("US dollars a month after which nothing may begin; null: none."),
        exceeded_until: time(
          "The end of the month whose hard budget is used up; null: it is not.",
        ).nullable(),
      })
      .openapi({ description: "Budgets, which the operator sets." }),
  })
  .openapi("OrganizationUsage");

export function presentUsage(
  { filter, groupBy, groups, total, isTruncated }: Usage,
  prices: Prices,
): z.infer<typeof usageSchema> {
  return {
    from: new Date(filter.from).toISOString(),
    to: new Date(filter.to).toISOString(),
    group_by: groupBy,
    rows: groups.map(({ group, ...use }) => ({
      group: typeof group === "number" ? new Date(group).toISOString() : group,
      ...presentUse(use, prices),
    })),
    is_truncated: isTruncated,
    total: presentUse(total, prices),
    prices,
  };
}

function presentUse(use: Use, prices: Prices) {
  return {
    browser_seconds: use.browserMs / 1000,
    sessions: use.sessions,
    invocations: use.invocations,
    dynamic_workers: use.dynamicWorkers,
    recorded_minutes: use.recordedMs / 60_000,
    stored_byte_hours: use.storedByteHours,
    proxied_bytes: use.proxiedBytes,
    estimated_usd: estimateCosts(use, prices),
  };
}
