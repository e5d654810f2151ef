import { useEffect, useState } from "preact/hooks";
import { api, read, readPage, request, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { type Query, useQuery } from "../../app/query.ts";
import { Badge } from "../../ui/badge.tsx";
import { ActionButton } from "../../ui/button.tsx";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { saveFile } from "../../ui/download.ts";
import { formatExact } from "../../ui/format.ts";
import { chosenValues, List } from "../../ui/list.tsx";
import { DocLink, Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { UserAgent } from "../../ui/user-agent.tsx";
import { VerifyDay } from "./verify-day.tsx";

type Entry = Schemas["AuditLogEntry"];
type Key = Schemas["APIKey"];

const HOUR_MS = 3_600_000;

/** The newest calls are found although the clocks of this machine and the service differ. */
const CLOCK_DIFFERENCE_MS = 60_000;

const MAX_NAMES = 100;

const STRATEGIES = [
  ["", "All"],
  ["api_key", "API key"],
  ["console_session", "Console"],
  ["invocation_key", "Key of an invocation"],
  ["signed_url", "URL of a session"],
] as const;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => [method, method] as const);

const FILTERS = [
  {
    param: "hours",
    label: "Time",
    options: [
      ["24", "Last day"],
      ["1", "Last hour"],
      ["168", "Last 7 days"],
      ["720", "Last 30 days"],
    ],
  },
  { param: "method", label: "Method", options: [["", "All"], ["change", "All but GET"], ...METHODS] },
  { param: "by", label: "Caller", options: STRATEGIES },
  {
    param: "reads",
    label: "Console's reads",
    options: [
      ["", "Hidden"],
      ["shown", "Shown"],
    ],
  },
] as const;

export function AuditLog() {
  const [query] = useQuery();
  const { data: keys = [] } = useLoad("names of keys", (signal) => {
    const params = { query: { limit: MAX_NAMES, status: "all" } } as const;
    return read(api.GET("/org/api_keys", { params, signal }));
  });
  const columns: Column<Entry>[] = [
    { title: "Time", cell: ({ timestamp }) => formatExact(Date.parse(timestamp)) },
    { title: "Call", cell: Call },
    { title: "Status", cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge> },
    { title: "Caller", cell: (entry) => <Caller entry={entry} keys={keys} /> },
    { title: "Address", cell: ({ client_ip }) => client_ip },
    { title: "User agent", cell: ({ user_agent }) => <UserAgent text={user_agent} />, isMinor: true },
  ];
  return (
    <Page
      title="Audit log"
      actions={
        <>
          <DialogButton title="Verify a day" content={() => <VerifyDay />} />
          <Download query={toListQuery(query, keys)} />
        </>
      }
    >
      <p class="hint">
        The calls of this organization. What this console itself reads is hidden by default. A call appears
        after some seconds. <DocLink page="audit-log">About the audit log</DocLink>
      </p>
      <List
        caption="Calls"
        name={`/audit-logs ${query.q && keys.length}`}
        search="Search by path, key, address or status"
        filters={FILTERS}
        isNumbered={false}
        load={({ limit, offset }, signal) => {
          const params = { query: { ...toListQuery(query, keys), limit, page_token: offset || undefined } };
          return readPage(api.GET("/audit-logs", { params, signal }));
        }}
        columns={columns}
        idOf={({ event_id }) => event_id}
        empty={() => <Empty title="No matching calls" />}
      />
    </Page>
  );
}

/** The query of the API for what the address asks for. A search also finds keys by their names. */
function toListQuery(query: Query, keys: readonly Key[]) {
  const { hours, method, by, reads } = chosenValues(FILTERS, query);
  const { q } = query;
  const end = Date.now() + CLOCK_DIFFERENCE_MS;
  const named = q ? keys.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase())) : [];
  return {
    start: new Date(end - Number(hours) * HOUR_MS).toISOString(),
    end: new Date(end).toISOString(),
    method: method === "change" ? undefined : method || undefined,
    exclude_method: method === "change" ? ["GET"] : undefined,
    exclude_console_reads: reads !== "shown" || undefined,
    auth_strategy: by || undefined,
    search: q,
    search_user_id: named.map(({ id }) => id),
  };
}

type ListQuery = ReturnType<typeof toListQuery>;

function Call({ method, path, route }: Entry) {
  return (
    <span>
      <code>
        {method} {path}
      </code>
      {route !== path && <span class="dim"> {route}</span>}
    </span>
  );
}

function toneOf(status: number) {
  return status < 400 ? "neutral" : status < 500 ? "warn" : "bad";
}

function Caller({ entry: { auth_strategy, user_id }, keys }: { entry: Entry; keys: readonly Key[] }) {
  const strategy = STRATEGIES.find(([value]) => value === auth_strategy)?.[1];
  if (auth_strategy === "signed_url") return <span class="dim">{strategy}</span>;
  return (
    <span>
      {auth_strategy === "invocation_key" ? (
        <a href={`/console/invocations/${user_id}`}>{user_id}</a>
      ) : (
        (keys.find(({ id }) => id === user_id)?.name ?? user_id)
      )}{" "}
      {auth_strategy !== "api_key" && <span class="dim">{strategy}</span>}
    </span>
  );
}

/** Downloads all calls that match. Leaving the view ends it. */
function Download({ query }: { query: ListQuery }) {
  const [rows, setRows] = useState<number>();
  const [controller] = useState(() => new AbortController());
  const { signal } = controller;
  useEffect(() => () => controller.abort(), []);
  const download = async () => {
    try {
      saveFile(await exportLines(query, setRows, signal), `audit-log-${query.end.slice(0, 10)}.jsonl`);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      setRows(undefined);
    }
  };
  return (
    <ActionButton action={download} title="The matching calls as JSON lines">
      {rows === undefined ? "Download" : `Downloading, ${rows} calls`}
    </ActionButton>
  );
}

/** JSON lines of all chunks. @param onProgress called with the number of lines so far. */
async function exportLines(
  query: ListQuery,
  onProgress: (rows: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const parameters = new URLSearchParams({ format: "jsonl" });
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value ?? []].flat()) parameters.append(name, String(each));
  }
  const chunks: Blob[] = [];
  let rows = 0;
  for (let cursor: string | null = ""; cursor !== null; ) {
    if (cursor !== "") parameters.set("cursor", cursor);
    const answer: Response = await request(`/audit-logs/export/chunk?${parameters}`, { signal });
    chunks.push(await answer.blob());
    rows += Number(answer.headers.get("x-row-count"));
    onProgress(rows);
    cursor = answer.headers.get("x-next-cursor");
  }
  return new Blob(chunks);
}
