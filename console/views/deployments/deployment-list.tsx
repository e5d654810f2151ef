import { useState } from "preact/hooks";
import { api, readPage, type Schemas } from "../../api/client.ts";
import { useQuery } from "../../app/query.ts";
import { Button } from "../../ui/button.tsx";
import { List, type PageQuery } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { loadApps } from "../apps/app-choices.ts";
import { AppFilters } from "../apps/app-filters.tsx";
import { DEPLOYMENT_STATUSES, isFinal, StatusBadge } from "../apps/status.tsx";
import { DeployDialog } from "./deploy-dialog.tsx";

const REFRESH_MS = 2000;
const MAX_LIMIT = 100;

type Row = Schemas["Deployment"] & { apps: string[] };

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Deployment",
    cell: ({ id }) => (
      <a class="row-name" href={`/console/deployments/${id}`}>
        {id}
      </a>
    ),
  },
  { title: "App", cell: ({ apps }) => apps.join(", ") || <span class="dim">–</span> },
  { title: "Version", cell: ({ version }) => <code>{version}</code> },
  {
    title: "Status",
    cell: ({ status, status_reason }) => (
      <StatusBadge status={status} of={DEPLOYMENT_STATUSES} reason={status_reason} />
    ),
  },
  { title: "Entry point", cell: ({ entrypoint_rel_path }) => <code>{entrypoint_rel_path}</code> },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
];

export function DeploymentList() {
  const [{ app, status, deploy }, setQuery] = useQuery();
  const [isBusy, setBusy] = useState(false);
  const load = async ({ query, ...page }: PageQuery, signal: AbortSignal) => {
    // The API has no filter by status: it is looked for among the newest ones.
    const range = status === undefined ? page : { limit: MAX_LIMIT };
    const params = { query: { ...range, query, app_name: app } };
    const [{ items, hasMore }, apps] = await Promise.all([
      readPage(api.GET("/deployments", { params, signal })),
      loadApps(signal),
    ]);
    setBusy(items.some(({ status }) => status !== "running" && !isFinal(status, DEPLOYMENT_STATUSES)));
    const rows = items.map((item) => ({
      ...item,
      apps: apps.filter(({ deployment }) => deployment === item.id).map(({ app_name }) => app_name),
    }));
    return status === undefined
      ? { items: rows, hasMore }
      : { items: rows.filter((row) => row.status === status), hasMore: false };
  };
  return (
    <Page
      title="Deployments"
      actions={
        <Button kind="primary" onClick={() => setQuery({ deploy: "1" })}>
          Deploy
        </Button>
      }
    >
      {status !== undefined && (
        <p class="hint">A filter by status looks at the newest {MAX_LIMIT} deployments.</p>
      )}
      <List
        caption="Deployments"
        name="/deployments"
        search="Search by app or id"
        filters={{
          key: JSON.stringify([app, status]),
          isActive: app !== undefined || status !== undefined,
          controls: <AppFilters parts={["app"]} statuses={DEPLOYMENT_STATUSES} />,
        }}
        load={load}
        columns={COLUMNS}
        idOf={({ id }) => id}
        refreshMs={isBusy ? REFRESH_MS : undefined}
        empty={(isFiltered) =>
          isFiltered ? (
            <Empty title="No deployment matches">
              Deployments that failed, were stopped or were replaced belong to no app.
            </Empty>
          ) : (
            <Empty title="Nothing has been deployed" action={<a href="/docs/apps">How to write an app</a>}>
              Deploy the zip of an app's folder. Its actions can be invoked a moment later.
            </Empty>
          )
        }
      />
      {deploy !== undefined && <DeployDialog onClose={() => setQuery({ deploy: undefined })} />}
    </Page>
  );
}
