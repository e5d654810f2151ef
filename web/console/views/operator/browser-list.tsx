import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { CopyText } from "../../ui/copy.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

type Browser = Schemas["AccountBrowser"];

const REFRESH_MS = 10_000;

const COLUMNS: Column<Browser>[] = [
  { title: "Browser", cell: ({ browser_id }) => <CopyText text={browser_id} what="the browser's id" /> },
  { title: "Used for", cell: UsedFor },
  {
    title: "Organization",
    cell: ({ organization_id: id }) =>
      id === null ? <span class="dim">–</span> : <a href={`/console/organizations/${id}`}>{id}</a>,
  },
  { title: "Started", cell: ({ started_at }) => (started_at ? <Time at={started_at} /> : "Unknown") },
];

function UsedFor({ is_ours, session_id }: Browser) {
  if (!is_ours) return <>Another service in the account</>;
  if (session_id === null) return <>A standby browser that no session has taken yet</>;
  return <a href={`/console/all-sessions?q=${session_id}`}>{`Session ${session_id}`}</a>;
}

export function BrowserList() {
  const browsers = useLoad("/admin/browsers", (signal) => read(api.GET("/admin/browsers", { signal })), {
    refreshMs: REFRESH_MS,
  });
  return (
    <Page title="Browsers" status={browsers.data && <span class="dim">{browsers.data.length}</span>}>
      <p class="hint">
        All browsers in the Cloudflare account, including those of other services. The list may lag by a few
        seconds.
      </p>
      <Loaded resource={browsers} lines={6}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No browsers are running" />
          ) : (
            <Table caption="Browsers" columns={COLUMNS} rows={rows} idOf={({ browser_id }) => browser_id} />
          )
        }
      </Loaded>
    </Page>
  );
}
