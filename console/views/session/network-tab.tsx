import { useMemo } from "preact/hooks";
import { useQuery } from "../../app/query.ts";
import { Facts } from "../../ui/facts.tsx";
import { formatBytes, formatDuration, formatExact } from "../../ui/format.ts";
import { FilterSelect, SearchField } from "../../ui/list.tsx";
import { field, formatOffset, toLink, toRow, toShown } from "./events.ts";
import { LogList } from "./log-list.tsx";
import {
  describeStatus,
  filterRequests,
  headersOf,
  type NetworkEntry,
  OUTCOMES,
  outcomeOf,
  pairRequests,
  shortName,
  toBar,
  toRanges,
} from "./network-log.ts";
import type { PanelProps } from "./panel.ts";
import { LogState, Recorded } from "./timeline-tab.tsx";
import type { EventLog } from "./use-events.ts";

export function NetworkTab({ session, isActive, log, reload }: PanelProps & { log: EventLog }) {
  const [query, setQuery] = useQuery();
  const start = Date.parse(session.created_at);
  const entries = useMemo(() => pairRequests(log.events), [log.events]);
  const types = useMemo(
    () => [...new Set(entries.map(({ type }) => type))].filter(Boolean).sort(),
    [entries],
  );
  const outcome = OUTCOMES.find(([value]) => value === query.status)?.[0] ?? "all";
  const type = query.type ?? "";
  const shown = useMemo(
    () => filterRequests(entries, { text: query.q ?? "", type, outcome }),
    [entries, query.q, type, outcome],
  );
  const ranges = useMemo(() => toRanges(shown), [shown]);
  return (
    <div class="panel">
      <search class="filters">
        <SearchField
          label="Search the requests"
          value={query.q ?? ""}
          onChange={(q) => setQuery({ q: q || undefined })}
        />
        <FilterSelect
          label="Type"
          value={type}
          options={[["", "All"], ...types.map((name) => [name, name] as const)]}
          onChange={(value) => setQuery({ type: value || undefined })}
        />
        <FilterSelect
          label="Status"
          value={outcome}
          options={OUTCOMES}
          onChange={(value) => setQuery({ status: value === "all" ? undefined : value })}
        />
      </search>
      {isActive ? (
        <Recorded session={session} reload={reload} wanted={["network"]} />
      ) : (
        entries.length === 0 && (
          <p class="hint">
            By default, sessions record no network requests: telemetry has to switch them on.
          </p>
        )
      )}
      <LogState
        log={log}
        isEmpty={shown.length === 0}
        isFiltered={entries.length > 0}
        what="recorded network requests"
      >
        <LogList
          label="Requests"
          items={shown}
          idOf={(entry) => entry.id}
          isBad={(entry) => outcomeOf(entry) === "failed"}
          head={
            <p class="request is-head" aria-hidden="true">
              <span>Status</span>
              <span>Method</span>
              <span>Name</span>
              <span>Type</span>
              <span>Size</span>
              <span>Time</span>
              <span>Waterfall</span>
            </p>
          }
          summary={(entry) => <RequestRow entry={entry} range={ranges.get(entry.id)} />}
          details={(entry) => <RequestDetails entry={entry} start={start} />}
        />
      </LogState>
    </div>
  );
}

function RequestRow({
  entry,
  range,
}: {
  entry: NetworkEntry;
  range: Parameters<typeof toBar>[1] | undefined;
}) {
  const { method, url, type, size, startedAt, endedAt } = entry;
  return (
    <span class="request">
      <span class="request-status">{describeStatus(entry)}</span>
      <span>{method || "–"}</span>
      <span class="request-name" title={toRow(url)}>
        {toRow(shortName(url)) || "Unknown"}
      </span>
      <span>{type}</span>
      <span>{size === undefined ? "–" : formatBytes(size)}</span>
      <span>{endedAt === undefined ? "–" : formatDuration(endedAt - startedAt)}</span>
      <svg class="request-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        {range && <rect y="1" height="6" {...toBar(entry, range)} />}
      </svg>
    </span>
  );
}

function RequestDetails({ entry, start }: { entry: NetworkEntry; start: number }) {
  const { method, url, status, error, redirectedTo, request, response, startedAt, endedAt, size } = entry;
  const link = toLink(url);
  return (
    <>
      <Facts
        facts={[
          [
            "Address",
            link === undefined ? (
              toRow(url)
            ) : (
              <a href={link} rel="noreferrer" target="_blank">
                {url}
              </a>
            ),
          ],
          ["Method", method],
          ["Status", status !== undefined && `${status} ${field(response, "status_text")}`],
          ["Error", error],
          ["Redirected to", redirectedTo],
          ["Content type", field(response, "mime_type") || undefined],
          ["Size", size !== undefined && `${formatBytes(size)}, by its Content-Length`],
          ["Started", `${formatOffset(startedAt - start)} (${formatExact(startedAt)})`],
          ["Until the response", endedAt !== undefined && formatDuration(endedAt - startedAt)],
          ["Page", field(request, "document_url") || undefined],
          ["Started by", field(request, "initiator_type") || undefined],
        ]}
      />
      <Headers title="Request headers" headers={headersOf(request)} />
      <Body title="Request body" text={field(request, "post_data")} />
      <Headers title="Response headers" headers={headersOf(response)} />
      <Body title="Response body" text={field(response, "body")} />
    </>
  );
}

function Headers({ title, headers }: { title: string; headers: [string, string][] }) {
  if (headers.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <Facts facts={headers} />
    </>
  );
}

function Body({ title, text }: { title: string; text: string }) {
  if (text === "") return null;
  return (
    <>
      <h3>{title}</h3>
      <pre>{toShown(text)}</pre>
    </>
  );
}
