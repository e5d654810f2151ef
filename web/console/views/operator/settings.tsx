import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useQuery } from "../../app/query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Facts } from "../../ui/facts.tsx";
import { FilterBar } from "../../ui/list.tsx";
import { DocLink, Page, Section } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";

type Setting = Schemas["Settings"]["settings"][number];

const COLUMNS: Column<Setting>[] = [
  {
    title: "Name",
    cell: ({ name, is_changed }) => (
      <>
        <code class="row-name">{name.split(/(?<=_)/).flatMap((part) => [part, <wbr key={part} />])}</code>
        {is_changed && <Badge tone="info">Changed</Badge>}
      </>
    ),
  },
  { title: "Value", cell: ({ value }) => <Value value={value} /> },
  { title: "Default", cell: (setting) => <Value value={setting.default} /> },
  // Descriptions are Markdown, of which they use only code.
  { title: "What it does", cell: ({ description }) => description.replaceAll("`", "") },
];

export function Settings() {
  const settings = useLoad("/admin/settings", (signal) => read(api.GET("/admin/settings", { signal })));
  const [{ q = "" }] = useQuery();
  return (
    <Page title="Settings">
      <p class="hint">
        The settings in force. They are changed in <code>wrangler.toml</code>, see{" "}
        <DocLink page="settings">Settings</DocLink>.
      </p>
      <FilterBar search="Search" />
      <Loaded resource={settings} lines={12}>
        {({ settings, secrets }) => (
          <>
            <SettingTable settings={settings} query={q.toLowerCase()} />
            <Section title="Secrets">
              <Facts facts={secrets.map(({ name, is_set }) => [name, is_set ? "Set" : "Not set"])} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function SettingTable({ settings, query }: { settings: Setting[]; query: string }) {
  const rows = settings.filter((row) => `${row.name} ${row.description}`.toLowerCase().includes(query));
  if (rows.length === 0) return <Empty title="No matching settings" />;
  return <Table caption="Settings" columns={COLUMNS} rows={rows} idOf={({ name }) => name} />;
}

function Value({ value }: { value: string }) {
  return value === "" ? <span class="dim">Empty</span> : <code>{value}</code>;
}
