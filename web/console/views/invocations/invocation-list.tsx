import { api, readPage, type Schemas } from "../../api/client.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { formatDuration } from "../../ui/format.ts";
import type { Filter, PageQuery } from "../../ui/list.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Elapsed, Time } from "../../ui/time.tsx";
import { useAppFilters } from "../apps/apps.ts";
import { INVOCATION_STATUSES, StatusBadge } from "../apps/status.tsx";

type Invocation = Schemas["Invocation"];

const COLUMNS: readonly Column<Invocation>[] = [
  { title: "Id", cell: ({ id }) => <code>{id}</code>, isMinor: true },
  { title: "Version", cell: ({ version }) => <code>{version}</code> },
  { title: "Status", cell: (invocation) => <StatusBadge {...invocation} of={INVOCATION_STATUSES} /> },
  { title: "Started", cell: ({ started_at }) => <Time at={started_at} /> },
  { title: "Duration", cell: (invocation) => <RunTime {...invocation} /> },
];

const STATUS: Filter = {
  param: "status",
  label: "Status",
  options: [["", "All"], ...INVOCATION_STATUSES.map(([value, label]) => [value, label] as const)],
};

/** How long an invocation took, or has taken so far. */
export function RunTime({ started_at, finished_at }: Pick<Invocation, "started_at" | "finished_at">) {
  if (finished_at === null) return <Elapsed since={started_at} />;
  return <span>{formatDuration(Date.parse(finished_at) - Date.parse(started_at))}</span>;
}

async function load(page: PageQuery, signal: AbortSignal, chosen: Record<string, string>) {
  const query = {
    ...page,
    app_name: chosen.app || undefined,
    version: chosen.version || undefined,
    action_name: chosen.action || undefined,
    status: INVOCATION_STATUSES.find(([value]) => value === chosen.status)?.[0],
  };
  const { items, hasMore } = await readPage(api.GET("/invocations", { params: { query }, signal }));
  return { items: items.map((item) => ({ ...item, name: nameOf(item) })), hasMore };
}

export function nameOf({ app_name, action_name }: Pick<Invocation, "app_name" | "action_name">): string {
  return `${app_name} · ${action_name}`;
}

export function InvocationList() {
  const filters = [...useAppFilters(["app", "version", "action"]), STATUS];
  return (
    <ResourceList
      title="Invocations"
      noun="invocation"
      href="/console/invocations"
      docs="apps"
      about="An invocation is one run of an app's action."
      advice="Invoke an action and follow its run here."
      action={
        <ButtonLink kind="primary" href={`/console/invocations/new${location.search}`}>
          New invocation
        </ButtonLink>
      }
      search="Search by app, action or id"
      columns={COLUMNS}
      refreshMs={5000}
      {...{ filters, load }}
    />
  );
}
