import { useMemo } from "preact/hooks";
import { api, read, request } from "../../api/client.ts";
import { useQuery } from "../../app/query.ts";
import { ActionButton } from "../../ui/button.tsx";
import { saveFile } from "../../ui/download.ts";
import { formatBytes, formatDuration, formatExact } from "../../ui/format.ts";
import { SearchField } from "../../ui/list.tsx";
import { Empty, Failure, Loading } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { EventDetails } from "./event-details.tsx";
import { field, formatOffset, MAX_EVENTS, toRow } from "./events.ts";
import { LogList } from "./log-list.tsx";
import { isNoise } from "./noise.ts";
import type { PanelProps } from "./panel.ts";
import { describeStatus, type NetworkRequest, shortName, toBar } from "./requests.ts";
import { type LogItem, toItems } from "./timeline.ts";

const ERRORS = "All errors";

const COLUMNS = ["Status", "Method", "Name", "Type", "Size", "Time", "Waterfall"];

interface EventTabProps extends PanelProps {
  label: string;
  /** What the service records only on request. */
  wanted: readonly Recordable[];
  /** The kind of an item, by which it can be filtered. Absent: the item is not shown. */
  kindOf: (item: LogItem) => string | undefined;
  isNetwork?: boolean;
}

export function TimelineTab(props: PanelProps) {
  const kindOf = ({ group }: LogItem) => group;
  return <EventTab {...props} label="Events" wanted={["console", "network", "page"]} kindOf={kindOf} />;
}

export function ConsoleTab(props: PanelProps) {
  const kindOf = ({ event, title }: LogItem) => (event.category === "console" ? title : undefined);
  return <EventTab {...props} label="Console messages" wanted={["console"]} kindOf={kindOf} />;
}

export function NetworkTab(props: PanelProps) {
  const kindOf = ({ request }: LogItem) => request && (request.type || "Other");
  return <EventTab {...props} label="Requests" wanted={["network", "bodies"]} kindOf={kindOf} isNetwork />;
}

/** A filterable log of events. */
function EventTab({
  label,
  wanted,
  kindOf,
  isNetwork,
  session,
  isActive,
  reload,
  log,
  player,
}: EventTabProps) {
  const [query, setQuery] = useQuery();
  const start = Date.parse(session.created_at);
  const all = useMemo(() => toItems(log.events).filter((item) => kindOf(item) !== undefined), [log.events]);
  const hidden = useMemo(() => new Set(isNetwork ? all.filter(isHidden) : []), [all]);
  const isNoisy = query.noise !== undefined;
  const items = useMemo(() => all.filter((item) => isNoisy || !hidden.has(item)), [all, isNoisy]);
  const shown = useMemo(() => {
    const chosen = listOf(query.show);
    const kinds = chosen.filter((kind) => kind !== ERRORS);
    const wantedText = (query.q ?? "").toLowerCase();
    return items.filter(
      (item) =>
        (item.isError || !chosen.includes(ERRORS)) &&
        (kinds.length === 0 || kinds.includes(kindOf(item) ?? "")) &&
        `${item.title} ${item.text}`.toLowerCase().includes(wantedText),
    );
  }, [items, query.show, query.q]);
  const save = async () => {
    const { session_id: id } = session;
    if (isNetwork) return saveFile(await (await request(`/browsers/${id}/har`)).blob(), `${id}.har`);
    const events = JSON.stringify(shown.map(({ event }) => event));
    saveFile(new Blob([events], { type: "application/json" }), `${id} ${label.toLowerCase()}.json`);
  };
  return (
    <div class="panel">
      <search class="filters">
        <SearchField
          label={`Search ${label.toLowerCase()}`}
          value={query.q ?? ""}
          onChange={(q) => setQuery({ q: q || undefined })}
        />
        {hidden.size > 0 && (
          <label class="filter">
            <input
              type="checkbox"
              checked={isNoisy}
              onChange={() => setQuery({ noise: isNoisy ? undefined : "1" })}
            />
            Show data: URLs and missing favicons ({hidden.size})
          </label>
        )}
        {isActive && (
          <span class={log.isLive ? "is-live" : "dim"}>{log.isLive ? "Live" : "Connecting…"}</span>
        )}
        {items.length > 0 && (
          <ActionButton action={save}>{isNetwork ? "Download HAR" : "Download"}</ActionButton>
        )}
      </search>
      <Kinds items={items} kindOf={kindOf} />
      <NotRecorded {...{ session, isActive, reload, wanted }} />
      {log.events.length >= MAX_EVENTS && (
        <p class="hint">The latest {MAX_EVENTS.toLocaleString()} events are shown.</p>
      )}
      {shown.length > 0 ? (
        <LogList
          label={label}
          items={shown}
          time={player?.at}
          onOpen={({ at }) => player?.seek(at)}
          head={isNetwork && <RequestHead />}
          summary={(item) =>
            isNetwork && item.request ? (
              <RequestRow request={item.request} />
            ) : (
              <EventRow item={item} start={start} />
            )
          }
          details={(item) => <EventDetails item={item} start={start} />}
        />
      ) : log.isLoading ? (
        <Loading lines={8} />
      ) : log.error !== undefined ? (
        <Failure error={log.error} retry={log.retry} />
      ) : (
        <Empty title={items.length > 0 ? "Nothing matches the filter" : `No ${label.toLowerCase()}`} />
      )}
      {player && <p class="hint">Click an event to jump to its time in the recording.</p>}
    </div>
  );
}

function isHidden({ request }: LogItem): boolean {
  return request !== undefined && isNoise(request);
}

function listOf(text: string | undefined): string[] {
  return text ? text.split(",") : [];
}

/** Options of a filter, of which several can be chosen. None: everything is shown. */
function Kinds({ items, kindOf }: { items: readonly LogItem[]; kindOf: EventTabProps["kindOf"] }) {
  const [query, setQuery] = useQuery();
  const chosen = listOf(query.show);
  const counts = new Map([[ERRORS, items.filter(({ isError }) => isError).length]]);
  for (const kind of chosen) counts.set(kind, counts.get(kind) ?? 0);
  for (const kind of items.map(kindOf).sort()) if (kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const toggle = (kind: string) => {
    const next = chosen.includes(kind) ? chosen.filter((one) => one !== kind) : [...chosen, kind];
    setQuery({ show: next.join(",") || undefined });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame around the options.
    <div class="toggles" role="group" aria-label="Show only">
      {[...counts].map(([kind, count]) => (
        <button
          key={kind}
          type="button"
          class="toggle"
          aria-pressed={chosen.includes(kind)}
          onClick={() => toggle(kind)}
        >
          {kind} {count}
        </button>
      ))}
    </div>
  );
}

function EventRow({ item: { at, title, text, event }, start }: { item: LogItem; start: number }) {
  return (
    <>
      <span class="event-time" title={formatExact(at)}>
        {formatOffset(at - start)}
      </span>
      <span class={`event-kind is-${field(event.data, "level")}`}>{title}</span>
      <span class="event-text">{toRow(text)}</span>
    </>
  );
}

function RequestHead() {
  return (
    <p class="request is-head" aria-hidden="true">
      {COLUMNS.map((column) => (
        <span key={column}>{column}</span>
      ))}
    </p>
  );
}

function RequestRow({ request }: { request: NetworkRequest }) {
  const { method, url, type, size, startedAt, endedAt } = request;
  return (
    <span class="request">
      <span>{describeStatus(request)}</span>
      <span>{method || "–"}</span>
      <span title={toRow(url)}>{toRow(shortName(url)) || "Unknown"}</span>
      <span>{type}</span>
      <span>{size === undefined ? "–" : formatBytes(size)}</span>
      <span>{endedAt === undefined ? "–" : formatDuration(endedAt - startedAt)}</span>
      <svg class="request-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect y="1" height="6" {...toBar(request)} />
      </svg>
    </span>
  );
}

/** What a session leaves out unless its telemetry asks for it. */
const DEFAULTS = {
  console: "console messages other than errors",
  network: "network requests",
  bodies: "request bodies",
  page: "page loads and layout",
};

type Recordable = keyof typeof DEFAULTS;

type NotRecordedProps = Pick<EventTabProps, "session" | "isActive" | "reload" | "wanted">;

/** Says what is not recorded, and records it on request. */
function NotRecorded({ session, isActive, reload, wanted }: NotRecordedProps) {
  const { telemetry, session_id, stealth } = session;
  const { console, network, page } = telemetry?.browser ?? {};
  const isOn = {
    console: console?.enabled,
    network: network?.enabled,
    bodies: network?.bodies,
    page: page?.enabled,
  };
  const missing = wanted.filter((part) => isOn[part] !== true);
  const record = async (part: Recordable) => {
    const browser =
      part === "bodies" ? { network: { enabled: true, bodies: true } } : { [part]: { enabled: true } };
    const params = { path: { id_or_name: session_id } };
    await read(api.PATCH("/browsers/{id_or_name}", { params, body: { telemetry: { browser } } }));
    showToast("Recording from now on.");
    reload();
  };
  if (missing.length === 0) return null;
  return (
    <div class="notice">
      <p>
        Not recorded: {missing.map((part) => DEFAULTS[part]).join(", ")}.
        {stealth &&
          missing.includes("console") &&
          " Stealth sessions do not record the console, because pages can detect that."}
      </p>
      {isActive &&
        missing.map((part) => (
          <ActionButton key={part} action={() => record(part)}>
            Record {part}
          </ActionButton>
        ))}
    </div>
  );
}
