import { useState } from "preact/hooks";
import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Button, ConfirmButton } from "../../ui/button.tsx";
import { formatBytes } from "../../ui/format.ts";
import { SearchField } from "../../ui/list.tsx";
import { Section } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import {
  attributesOf,
  type Contents,
  type Cookie,
  count,
  listStored,
  matches,
  type Stored,
} from "./contents.ts";

/** More rows would make the page slow. */
const MAX_ROWS = 200;

/** What a profile holds: names at first, values only when the user asks for them. */
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
      consequence="They may be secrets, such as sign-ins. Everybody who sees your screen can read them."
      confirm="Show values"
      action={async () => setHasValues(true)}
    >
      Show values
    </ConfirmButton>
  );
  return (
    <Section title="Contents" actions={contents.data && values}>
      <Loaded resource={contents} lines={8}>
        {(data) =>
          data === null ? (
            <Empty title="Nothing has been saved yet">
              A session that selects this profile and saves changes saves its state here when it ends.
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
  const [text, setText] = useState("");
  const cookies = contents.cookies.filter(({ name, domain }) => matches(text, name, domain));
  const stored = listStored(contents).filter(({ origin, name }) => matches(text, origin, name));
  return (
    <>
      <p>
        {count(contents.cookies.length, "cookie")}, and {count(contents.origins.length, "origin")} with
        storage
      </p>
      {contents.truncated && (
        <p class="hint">There is more than can be shown. Download it to get everything.</p>
      )}
      <SearchField label="Search names, domains and origins" value={text} onChange={setText} />
      <FirstRows
        title="Cookies"
        columns={cookieColumns(hasValues)}
        rows={cookies}
        idOf={({ domain, path, name, partition_key }) => [domain, path, name, partition_key].join(" ")}
      />
      <FirstRows
        title="Storage"
        columns={storedColumns(hasValues)}
        rows={stored}
        idOf={({ origin, kind, name }) => [origin, kind, name].join(" ")}
      />
    </>
  );
}

interface FirstRowsProps<T> {
  title: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  idOf: (row: T) => string;
}

/** A table that says how many rows it leaves out. */
function FirstRows<T>({ title, rows, ...table }: FirstRowsProps<T>) {
  return (
    <>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p class="dim">None</p>
      ) : (
        <Table {...table} caption={title} rows={rows.slice(0, MAX_ROWS)} />
      )}
      {rows.length > MAX_ROWS && (
        <p class="hint">
          The first {MAX_ROWS} of {rows.length.toLocaleString()} are shown. Search to find the others.
        </p>
      )}
    </>
  );
}

function cookieColumns(hasValues: boolean): Column<Cookie>[] {
  return [
    { title: "Name", cell: ({ name }) => <code>{name}</code> },
    { title: "Domain", cell: ({ domain }) => domain },
    { title: "Path", cell: ({ path }) => path, isMinor: true },
    {
      title: "Expires",
      cell: ({ expires_at }) => (expires_at === undefined ? "With the browser" : <Time at={expires_at} />),
    },
    { title: "Attributes", cell: attributesOf },
    { title: "Size", cell: ({ size_bytes }) => formatBytes(size_bytes), isNumber: true },
    ...valueColumn(hasValues),
  ];
}

function storedColumns(hasValues: boolean): Column<Stored>[] {
  return [
    { title: "Name", cell: ({ name }) => <code>{name}</code> },
    { title: "Origin", cell: ({ origin }) => origin },
    { title: "Kind", cell: ({ kind }) => kind },
    {
      title: "Size or records",
      cell: ({ size, stores }) => (size === undefined ? stores : formatBytes(size)),
    },
    ...valueColumn(hasValues),
  ];
}

function valueColumn(hasValues: boolean): Column<{ value?: string }>[] {
  return hasValues
    ? [{ title: "Value", cell: ({ value }) => <code class="secret">{value ?? "–"}</code> }]
    : [];
}
