import { api, readPage, type Schemas } from "../../api/client.ts";
import { CopyId } from "../../ui/copy.tsx";
import type { PageQuery } from "../../ui/list.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { loadApps, useAppFilters } from "../apps/apps.ts";
import { DEPLOYMENT_STATUSES, StatusBadge } from "../apps/status.tsx";
import { DeployButton } from "./deploy-button.tsx";

type Row = Schemas["Deployment"] & { name: string };

const COLUMNS: readonly Column<Row>[] = [
  { title: "Id", cell: ({ id }) => <CopyId id={id} what="the deployment's id" />, isMinor: true },
  { title: "Version", cell: ({ version }) => <code>{version}</code> },
  { title: "Status", cell: (deployment) => <StatusBadge {...deployment} of={DEPLOYMENT_STATUSES} /> },
  { title: "Entry point", cell: ({ entrypoint_rel_path }) => <code>{entrypoint_rel_path}</code> },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
];

async function load(page: PageQuery, signal: AbortSignal, { app }: Record<string, string>) {
  const params = { query: { ...page, app_name: app || undefined } };
  const [{ items, hasMore }, apps] = await Promise.all([
    readPage(api.GET("/deployments", { params, signal })),
    loadApps(signal),
  ]);
  const appsOf = (id: string) =>
    apps.flatMap(({ deployment, app_name }) => (deployment === id ? app_name : []));
  // One that failed or was replaced has no apps.
  const nameOf = ({ id, entrypoint_rel_path }: Schemas["Deployment"]) =>
    appsOf(id).join(", ") || entrypoint_rel_path;
  return { items: items.map((item): Row => ({ ...item, name: nameOf(item) })), hasMore };
}

export function DeploymentList() {
  return (
    <ResourceList
      title="Deployments"
      noun="deployment"
      href="/console/deployments"
      docs="apps"
      about="Deploying a zip creates its apps. Failed, stopped and replaced deployments have none."
      advice="Deploy a zip of an app's folder. You can invoke its actions a moment later."
      action={<DeployButton />}
      search="Search by app or id"
      filters={useAppFilters(["app"])}
      load={load}
      columns={COLUMNS}
      refreshMs={15_000}
    />
  );
}
