import { useState } from "preact/hooks";
import { api, readPage, type Schemas } from "../../api/client.ts";
import { useQuery } from "../../app/query.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { formatDuration } from "../../ui/format.ts";
import { List, type PageQuery } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Elapsed, Time } from "../../ui/time.tsx";
import { AppFilters } from "../apps/app-filters.tsx";
import { INVOCATION_STATUSES, isFinal, StatusBadge } from "../apps/status.tsx";

type Invocation = Schemas["Invocation"];

const REFRESH_MS = 3000;

const COLUMNS: readonly Column<Invocation>[] = [
  {
    title: "Invocation",
    cell: ({ id, app_name, action_name }) => (
      <a class="row-name" href={`/console/invocations/${id}`}>
        {app_name} · {action_name}
      </a>
    ),
  },
  { title: "Id", cell: ({ id }) => <code>{id}</code>, isMinor: true },
  { title: "Version", cell: ({ version }) => <code>{version}</code> },
  {
    title: "Status",
    cell: ({ status, status_reason }) => (
      <StatusBadge status={status} of={INVOCATION_STATUSES} reason={status_reason} />
    ),
  },
  { title: "Started", cell: ({ started_at }) => <Time at={started_at} /> },
  { title: "Duration", cell: (invocation) => <RunTime {...invocation} /> },
];

/** How long an invocation took, or has taken so far. */
export function RunTime({ started_at, finished_at }: Pick<Invocation, "started_at" | "finished_at">) {
  if (finished_at === null) return <Elapsed since={started_at} />;
  return <span>{formatDuration(Date.parse(finished_at) - Date.parse(started_at))}</span>;
}

export function InvocationList() {
  const [query] = useQuery();
  const [isBusy, setBusy] = useState(false);
  const { app, version, action } = query;
  const status = INVOCATION_STATUSES.find(([value]) => value === query.status)?.[0];
  const filter = { app_name: app, version, action_name: action, status };
  const load = async (page: PageQuery, signal: AbortSignal) => {
    const params = { query: { ...page, ...filter } };
    const invocations = await readPage(api.GET("/invocations", { params, signal }));
    setBusy(invocations.items.some(({ status }) => !isFinal(status, INVOCATION_STATUSES)));
    return invocations;
  };
  return (
    <Page
      title="Invocations"
      actions={
        <ButtonLink kind="primary" href={`/console/invocations/new${location.search}`}>
          New invocation
        </ButtonLink>
      }
    >
      <List
        caption="Invocations"
        name="/invocations"
        search="Search by app, action or id"
        filters={{
          key: JSON.stringify(filter),
          isActive: Object.values(filter).some((value) => value !== undefined),
          controls: <AppFilters parts={["app", "version", "action"]} statuses={INVOCATION_STATUSES} />,
        }}
        load={load}
        columns={COLUMNS}
        idOf={({ id }) => id}
        refreshMs={isBusy ? REFRESH_MS : undefined}
        empty={(isFiltered) => (
          <Empty title={isFiltered ? "No invocation matches" : "Nothing has been invoked"}>
            {!isFiltered && "Invoke an action of an app, and follow its run here."}
          </Empty>
        )}
      />
    </Page>
  );
}
