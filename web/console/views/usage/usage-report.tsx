import type { ComponentChildren } from "preact";
import type { Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useQuery } from "../../app/query.ts";
import { BarChart } from "../../ui/chart.tsx";
import { formatBytes, formatDollars, formatDuration } from "../../ui/format.ts";
import { chosenValues, FilterBar, SearchField } from "../../ui/list.tsx";
import { DocLink, Section } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { fillDays, listPeriods, toRange } from "./periods.ts";

type Usage = Schemas["Usage"];
type Row = Usage["rows"][number];
type Use = Usage["total"];
type Grouping = Exclude<Usage["group_by"], "hour">;

/** The most rows that are shown. */
const MAX_ROWS = 500;

const BYTE_HOURS_OF_GB_MONTH = 720e9;

export const GROUPS = [
  ["day", "Day"],
  ["key", "API key"],
  ["pool", "Pool"],
  ["tag", "Tag"],
] as const;

/** What costs: its name among the costs and in words, its price if there is one for all, and how much was used. */
const COSTS = [
  [
    "browsers",
    "Browser time",
    "browser_hour",
    "hour",
    (use: Use) => formatDuration(use.browser_seconds * 1000),
  ],
  [
    "standby",
    "Standby browsers",
    "browser_hour",
    "hour",
    (use: Use) => formatDuration(use.standby_seconds * 1000),
  ],
  ["invocations", "App invocations", "invocation", "invocation", (use: Use) => use.invocations],
  ["dynamic_workers", "Dynamic Workers", "dynamic_worker", "Worker", (use: Use) => use.dynamic_workers],
  [
    "recordings",
    "Recordings",
    "recorded_hour",
    "hour",
    (use: Use) => formatDuration(use.recorded_minutes * 60_000),
  ],
  ["storage", "Storage", "stored_gb_month", "GB and month", (use: Use) => `${formatGBMonths(use)} GB months`],
  [
    "linux_machines",
    "Linux machines",
    undefined,
    undefined,
    (use: Use) => formatDuration(use.linux_machine_seconds * 1000),
  ],
  ["proxies", "Received through proxies", "proxied_gb", "GB", (use: Use) => formatBytes(use.proxied_bytes)],
] as const;

function formatGBMonths({ stored_byte_hours }: Use): string {
  return (stored_byte_hours / BYTE_HOURS_OF_GB_MONTH).toLocaleString(undefined, { maximumFractionDigits: 4 });
}

interface UsageReportProps<U extends Usage, G extends Grouping> {
  /** For the key of what is loaded. */
  name: string;
  load: (
    query: { from: string; to: string; group_by: G | "day"; tag?: string },
    signal: AbortSignal,
  ) => Promise<U>;
  /** What can be grouped by. */
  groups: readonly (readonly [G, string])[];
  /** Shows a group that is an id. */
  cell: (id: string) => ComponentChildren;
  /** Before the figures. */
  children?: (usage: U, isThisMonth: boolean) => ComponentChildren;
}

/** What was used in a period, and what it costs. The period and the grouping are in the address. */
export function UsageReport<U extends Usage, G extends Grouping>({
  name,
  load,
  groups,
  cell,
  children,
}: UsageReportProps<U, G>) {
  const [query, setQuery] = useQuery();
  const now = Date.now();
  const periods = listPeriods(now);
  const filters = [
    { param: "period", label: "Period", options: periods },
    { param: "group", label: "By", options: groups },
  ];
  const { period = "", group } = chosenValues(filters, query);
  const [grouping, label] = groups.find(([value]) => value === group) ?? GROUPS[0];
  const { tag = "team" } = query;
  const usage = useLoad(JSON.stringify([name, period, grouping, tag]), async (signal) => {
    const range = toRange(period, now);
    const [days, grouped] = await Promise.all([
      load({ ...range, group_by: "day" }, signal),
      load({ ...range, group_by: grouping, tag: grouping === "tag" ? tag : undefined }, signal),
    ]);
    return { days, grouped };
  });
  return (
    <>
      <FilterBar filters={filters}>
        {grouping === "tag" && (
          <SearchField
            label="Tag name"
            value={tag}
            onChange={(text) => setQuery({ tag: text || undefined })}
          />
        )}
      </FilterBar>
      <Loaded resource={usage} lines={10}>
        {({ days, grouped }) => (
          <>
            {children?.(days, period === periods[0]?.[0])}
            <Costs days={days} />
            <Section title="Usage">
              <GroupTable
                usage={grouped}
                title={grouping === "tag" ? `${label} ${tag}` : label}
                cell={cell}
              />
            </Section>
          </>
        )}
      </Loaded>
    </>
  );
}

function Costs({ days: { from, to, rows, total, prices } }: { days: Usage }) {
  const costs = new Map(rows.map(({ group, estimated_usd }) => [group ?? "", estimated_usd.total ?? 0]));
  const columns: Column<(typeof COSTS)[number]>[] = [
    { title: "What", cell: ([, label]) => label },
    { title: "Used", isNumber: true, cell: ([, , , , amount]) => amount(total) },
    {
      title: "Price",
      isNumber: true,
      cell: ([, , price, unit]) => (price ? `${formatDollars(prices[price])} per ${unit}` : "By host"),
    },
    { title: "Estimated", isNumber: true, cell: ([cost]) => formatDollars(total.estimated_usd[cost]) },
  ];
  // Most deployments have none.
  const shown = COSTS.filter(([cost]) => cost !== "linux_machines" || (total.estimated_usd[cost] ?? 0) > 0);
  return (
    <Section title="Estimated cost">
      <BarChart title="By day" bars={fillDays(from, to, costs)} describe={formatDollars} />
      <Table caption="Estimated cost" columns={columns} rows={shown} idOf={([cost]) => cost} />
      <p class="hint">
        At the operator's prices, in US dollars, for whole hours in UTC. See{" "}
        <DocLink page="usage">Usage</DocLink>.
      </p>
    </Section>
  );
}

interface GroupTableProps {
  usage: Usage;
  /** What the groups are. */
  title: string;
  cell: (id: string) => ComponentChildren;
}

function GroupTable({ usage: { rows, group_by }, title, cell }: GroupTableProps) {
  if (rows.length === 0) return <Empty title="No usage" />;
  const isByDay = group_by === "day";
  const shown = isByDay
    ? rows
    : rows.toSorted((a, b) => (b.estimated_usd.total ?? 0) - (a.estimated_usd.total ?? 0));
  const nameOf = ({ group }: Row) => {
    if (group === null) return <span class="dim">None</span>;
    return isByDay ? group.slice(0, 10) : cell(group);
  };
  const columns: Column<Row>[] = [
    { title, cell: nameOf },
    { title: "Browser time", isNumber: true, cell: (row) => formatDuration(row.browser_seconds * 1000) },
    { title: "Sessions", isNumber: true, cell: ({ sessions }) => sessions },
    { title: "Invocations", isNumber: true, cell: ({ invocations }) => invocations },
    { title: "Recorded", isNumber: true, cell: (row) => formatDuration(row.recorded_minutes * 60_000) },
    { title: "Through proxies", isNumber: true, cell: ({ proxied_bytes }) => formatBytes(proxied_bytes) },
    { title: "Estimated", isNumber: true, cell: ({ estimated_usd }) => formatDollars(estimated_usd.total) },
  ];
  return (
    <>
      <Table
        caption="Usage"
        {...{ columns }}
        rows={shown.slice(0, MAX_ROWS)}
        idOf={({ group }) => String(group)}
      />
      {rows.length > MAX_ROWS && (
        <p class="hint">
          Only the first {MAX_ROWS} of {rows.length} are shown.
        </p>
      )}
    </>
  );
}
