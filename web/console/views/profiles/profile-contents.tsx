import { useState } from "preact/hooks";
import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/dialog-button.tsx";
import { formatBytes } from "../../ui/format.ts";
import { SearchField } from "../../ui/list.tsx";
import { Section } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { type Contents, count, type Entry, listEntries } from "./contents.ts";

/** More rows would make the page slow. */
const MAX_ROWS = 300;

const COLUMNS: readonly Column<Entry>[] = [
  { title: "Name", cell: ({ name }) => <code>{name}</code> },
  { title: "Site", cell: ({ site }) => site },
  { title: "Kind", cell: ({ kind }) => kind },
  { title: "Details", cell: ({ details }) => details },
  {
    title: "Expires",
    cell: ({ kind, expires }) =>
      kind === "Cookie" && (expires === undefined ? "When the browser closes" : <Time at={expires} />),
  },
  { title: "Size", cell: ({ size }) => size !== undefined && formatBytes(size), isNumber: true },
];

const VALUE: Column<Entry> = {
  title: "Value",
  cell: ({ value }) => value !== undefined && <code class="secret">{value}</code>,
};

/** What a profile contains: names at first, values only when the user asks for them. */
export function ProfileContents({ id }: { id: string }) {
  const [hasValues, setHasValues] = useState(false);
  const contents = useLoad(`/profiles/${id}/contents ${hasValues}`, async (signal) => {
    const params = { path: { id_or_name: id }, query: { include_values: hasValues } };
    // Nothing has been saved: the answer has no body.
    const data: Contents | undefined = await read(
      api.GET("/profiles/{id_or_name}/contents", { params, signal }),
    );
    return data ?? null;
  });
  const values = hasValues ? (
    <Button onClick={() => setHasValues(false)}>Hide values</Button>
  ) : (
    <ConfirmButton
      kind="plain"
      question="Show the values?"
      consequence="They may be secrets, such as logins. Anyone who can see your screen can read them."
      confirm="Show values"
      action={async () => setHasValues(true)}
    />
  );
  return (
    <Section title="Contents" actions={contents.data && values}>
      <Loaded resource={contents} lines={8}>
        {(data) =>
          data === null ? (
            <Empty title="Nothing has been saved yet">
              A session that selects this profile and saves changes stores its state here when it ends.
            </Empty>
          ) : (
            <SearchableContents contents={data} hasValues={hasValues} />
          )
        }
      </Loaded>
    </Section>
  );
}

function SearchableContents({ contents, hasValues }: { contents: Contents; hasValues: boolean }) {
  const [search, setSearch] = useState("");
  const entries = listEntries(contents).filter(({ name, site }) =>
    `${name} ${site}`.toLowerCase().includes(search.toLowerCase()),
  );
  return (
    <>
      <p>
        {count(contents.cookies.length, "cookie")}, and {count(contents.origins.length, "origin")} with
        storage
        {contents.truncated && ". The profile contains more than the service lists"}
      </p>
      <SearchField label="Search names and sites" value={search} onChange={setSearch} />
      <Table
        caption="Contents"
        columns={hasValues ? [...COLUMNS, VALUE] : COLUMNS}
        rows={entries.slice(0, MAX_ROWS)}
        idOf={({ kind, name, site, details }) => JSON.stringify([kind, name, site, details])}
      />
      {entries.length === 0 && <p class="dim">None</p>}
      {entries.length > MAX_ROWS && (
        <p class="hint">
          The first {MAX_ROWS} of {entries.length.toLocaleString()} are shown. Search to find the others.
        </p>
      )}
    </>
  );
}
