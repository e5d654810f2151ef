import { api, readPage } from "../../api/client.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { List } from "../../ui/list.tsx";
import { DocLink, Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { DeployButton } from "../deployments/deploy-button.tsx";
import type { App } from "./apps.ts";

const COLUMNS: readonly Column<App>[] = [
  { title: "App", cell: ({ app_name }) => <span class="row-name">{app_name}</span> },
  { title: "Version", cell: ({ version }) => <code>{version}</code> },
  { title: "Actions", cell: (app) => <ActionLinks {...app} /> },
  {
    title: "Newest deployment",
    cell: ({ deployment: id }) => <a href={`/console/deployments/${id}`}>{id.slice(0, 8)}…</a>,
  },
  {
    title: "Runs",
    cell: ({ app_name: app, version }) => (
      <a href={`/console/invocations?${new URLSearchParams({ app, version })}`}>Invocations</a>
    ),
  },
];

export function AppList() {
  return (
    <Page title="Apps" actions={<DeployButton />}>
      <p class="hint">Click an action to run it.</p>
      <List
        caption="Apps"
        name="/apps"
        search="Search by name or id"
        load={(query, signal) => readPage(api.GET("/apps", { params: { query }, signal }))}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={(isFiltered) =>
          isFiltered ? (
            <Empty title="No matching apps" />
          ) : (
            <Empty title="No apps are deployed" action={<DocLink page="apps">How to write an app</DocLink>}>
              An app is TypeScript or JavaScript for @onkernel/sdk. Its actions run here.
            </Empty>
          )
        }
      />
    </Page>
  );
}

/** The actions of an app. Each leads to the form that invokes it. */
export function ActionLinks({
  app_name: app,
  version,
  actions,
}: Pick<App, "app_name" | "version" | "actions">) {
  if (actions.length === 0) return <span class="dim">No actions</span>;
  return (
    <div class="actions">
      {actions.map(({ name: action }) => (
        <ButtonLink
          key={action}
          href={`/console/invocations/new?${new URLSearchParams({ app, version, action })}`}
        >
          <Icon name="invocations" />
          <span class="unseen">Invoke </span>
          {action}
        </ButtonLink>
      ))}
    </div>
  );
}
