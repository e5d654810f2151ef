import { Fragment } from "preact";
import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useQuery } from "../../app/query.ts";
import { Badge } from "../../ui/badge.tsx";
import { DocLink } from "../../ui/doc-link.tsx";
import { Checkbox } from "../../ui/form.tsx";
import { SearchField } from "../../ui/list.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { readableValue } from "./setting-values.ts";

type Setting = Schemas["Settings"]["settings"][number];

const COLUMNS: Column<Setting>[] = [
  {
    title: "Name",
    cell: ({ name, is_changed }) => (
      <>
        <code class="row-name">
          {name.split(/(?<=_)/).map((part) => (
            <Fragment key={part}>
              {part}
              <wbr />
            </Fragment>
          ))}
        </code>
        {is_changed && <Badge tone="info">Changed</Badge>}
      </>
    ),
  },
  { title: "Value", cell: ({ name, value }) => <Value name={name} value={value} /> },
  { title: "Default", cell: (setting) => <Value name={setting.name} value={setting.default} /> },
  { title: "What it does", cell: ({ description }) => <Description text={description} /> },
];

export function Settings() {
  const settings = useLoad("/admin/settings", (signal) => read(api.GET("/admin/settings", { signal })));
  const [{ q = "", changed }, setQuery] = useQuery();
  const onlyChanged = changed === "yes";
  return (
    <Page title="Settings">
      <p class="hint">
        The settings in force. They are changed in <code>wrangler.toml</code>, see{" "}
        <DocLink page="settings">Settings</DocLink>.
      </p>
      <search class="filters">
        <SearchField label="Search" value={q} onChange={(text) => setQuery({ q: text || undefined })} />
        <Checkbox
          label="Only changed"
          value={onlyChanged}
          onChange={(isOn) => setQuery({ changed: isOn ? "yes" : undefined })}
        />
      </search>
      <Loaded resource={settings} lines={12}>
        {({ settings, secrets }) => (
          <>
            <SettingTable rows={settings.filter((setting) => isShown(setting, q, onlyChanged))} />
            <Section title="Secrets">
              <Table
                caption="Secrets"
                columns={[
                  { title: "Name", cell: ({ name }) => <code>{name}</code> },
                  {
                    title: "State",
                    cell: ({ is_set }) => (
                      <Badge tone={is_set ? "good" : "neutral"}>{is_set ? "Set" : "Not set"}</Badge>
                    ),
                  },
                ]}
                rows={secrets}
                idOf={({ name }) => name}
              />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function isShown({ name, description, is_changed }: Setting, query: string, onlyChanged: boolean): boolean {
  return (is_changed || !onlyChanged) && `${name} ${description}`.toLowerCase().includes(query.toLowerCase());
}

function SettingTable({ rows }: { rows: Setting[] }) {
  if (rows.length === 0) return <Empty title="No setting matches" />;
  return <Table caption="Settings" columns={COLUMNS} rows={rows} idOf={({ name }) => name} />;
}

function Value({ name, value }: { name: string; value: string }) {
  if (value === "") return <span class="dim">Empty</span>;
  const readable = readableValue(name, value);
  return (
    <span>
      <code>{value}</code> {readable && <span class="dim">({readable})</span>}
    </span>
  );
}

/** Descriptions are Markdown, of which they use only code. */
function Description({ text }: { text: string }) {
  return (
    <span>
      {text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </span>
  );
}
