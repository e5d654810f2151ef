import { api, readPage, type Schemas } from "../../api/client.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { ActionLinks } from "./action-links.tsx";
import type { App } from "./app-choices.ts";

interface Row extends App {
  /** Absent where it is not among the newest ones. */
  deployed?: Schemas["Deployment"];
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "App", cell: ({ app_name }) => <span class="row-name">{app_name}</span> },
  { title: "Version", cell: ({ version }) => <code>{version}</code> },
  { title: "Actions", cell: (app) => <ActionLinks {...app} /> },
  {
    title: "Newest deployment",
    cell: ({ deployment, deployed }) => (
      <span>
        <a href={`/console/deployments/${deployment}`}>{deployment.slice(0, 8)}…</a>{" "}
        {deployed && <Time at={deployed.created_at} />}
      </span>
    ),
  },
  {
    title: "Runs",
    cell: ({ app_name, version }) => (
      <a href={`/console/invocations?${new URLSearchParams({ app: app_name, version })}`}>Invocations</a>
    ),
  },
];

export function AppList() {
  return (
    <Page
      title="Apps"
      actions={
        <ButtonLink kind="primary" href="/console/deployments?deploy=1">
          Deploy
        </ButtonLink>
      }
    >
      <p class="hint">Press an action to invoke it.</p>
      <List
        caption="Apps"
        name="/apps"
        search="Search by name or id"
        load={async (query, signal) => {
          const [page, deployments] = await Promise.all([
            readPage(api.GET("/apps", { params: { query }, signal })),
            readPage(api.GET("/deployments", { params: { query: { limit: 100 } }, signal })),
          ]);
          const byId = new Map(deployments.items.map((deployment) => [deployment.id, deployment]));
          return {
            ...page,
            items: page.items.map((app) => ({ ...app, deployed: byId.get(app.deployment) })),
          };
        }}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={(isFiltered) =>
          isFiltered ? (
            <Empty title="No app matches" />
          ) : (
            <Empty title="No app is deployed" action={<a href="/docs/apps">How to write an app</a>}>
              An app is TypeScript or JavaScript for @onkernel/sdk. Its actions run here.
            </Empty>
          )
        }
      />
    </Page>
  );
}
