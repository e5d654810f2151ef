import { useMemo } from "preact/hooks";
import { api, read, readPage } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useQuery } from "../../app/query.ts";
import { ActionButton } from "../../ui/button.tsx";
import { formatExact } from "../../ui/format.ts";
import { SearchField } from "../../ui/list.tsx";
import { Empty, Failure, Loaded, Loading } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { formatOffset, formatStack, isRecord, MAX_EVENTS, toShown } from "./events.ts";
import { Chips, countBy, listOf } from "./filters.tsx";
import { LogList } from "./log-list.tsx";
import type { PanelProps } from "./panel.ts";
import {
  filterTimeline,
  GROUPS,
  itemAt,
  missingCategories,
  type TimelineItem,
  toTimeline,
} from "./timeline.ts";
import type { EventLog } from "./use-events.ts";

interface TimelineTabProps extends PanelProps {
  log: EventLog;
  /** The time that the recording shows. */
  playhead: number | undefined;
  /** Absent: no recording is shown. */
  seek: ((time: number) => void) | undefined;
}

export function TimelineTab({ session, isActive, log, playhead, seek, reload }: TimelineTabProps) {
  const [query, setQuery] = useQuery();
  const start = Date.parse(session.created_at);
  const items = useMemo(() => toTimeline(log.events), [log.events]);
  const counts = useMemo(() => {
    const errors = items.filter(({ isError }) => isError).length;
    return countBy(items, ({ group }) => group).set("errors", errors);
  }, [items]);
  const chosen = listOf(query.show);
  const shown = useMemo(
    () =>
      filterTimeline(items, {
        groups: GROUPS.map(([group]) => group).filter((group) => chosen.includes(group)),
        onlyErrors: chosen.includes("errors"),
        text: query.q ?? "",
      }),
    [items, query.show, query.q],
  );
  return (
    <div class="panel">
      <search class="filters">
        <SearchField
          label="Search the events"
          value={query.q ?? ""}
          onChange={(q) => setQuery({ q: q || undefined })}
        />
        <LiveState log={log} isActive={isActive} />
      </search>
      <Chips label="Show only" name="show" options={[["errors", "Errors"], ...GROUPS]} counts={counts} />
      {isActive && <Recorded session={session} reload={reload} wanted={["console", "network", "page"]} />}
      {log.events.length >= MAX_EVENTS && (
        <p class="hint">The latest {MAX_EVENTS.toLocaleString()} events are shown.</p>
      )}
      <LogState log={log} isEmpty={shown.length === 0} isFiltered={items.length > 0} what="events">
        <LogList
          label="Events"
          items={shown}
          idOf={(item) => item.seq}
          isBad={(item) => item.isError}
          current={itemAt(shown, playhead)}
          onOpen={(item) => seek?.(item.at)}
          summary={(item) => (
            <>
              <span class="event-time" title={formatExact(item.at)}>
                {formatOffset(item.at - start)}
              </span>
              <span class={`event-kind is-${item.group}`}>{item.title}</span>
              <span class="event-text">{item.text}</span>
            </>
          )}
          details={(item) => <EventDetails id={session.session_id} item={item} />}
        />
      </LogState>
      {seek !== undefined && <p class="hint">Choosing an event moves the recording to its time.</p>}
    </div>
  );
}

function EventDetails({ id, item: { seq, at, event } }: { id: string; item: TimelineItem }) {
  const stack = formatStack(event.data);
  const { stack_trace: _, ...data } = event.data ?? {};
  return (
    <>
      <p class="dim">
        {formatExact(at)} · {event.category} · {event.type}
        {event.truncated === true && " · cut because it was long"}
      </p>
      {event.type === "monitor_screenshot" && <Picture id={id} seq={seq} />}
      {stack !== "" && <pre>{stack}</pre>}
      {Object.keys(data).length > 0 && <pre>{toShown(JSON.stringify(data, undefined, 2))}</pre>}
    </>
  );
}

/** A screenshot among the events, which is loaded only when it is shown. */
function Picture({ id, seq }: { id: string; seq: number }) {
  const picture = useLoad(`picture ${id} ${seq}`, async (signal) => {
    const query = { order: "desc" as const, limit: 1, offset: seq };
    const call = api.GET("/browsers/{id}/telemetry/events", { params: { path: { id }, query }, signal });
    const png = (await readPage(call)).items[0]?.event.data?.png;
    return typeof png === "string" ? png : "";
  });
  return (
    <Loaded resource={picture}>
      {(png) =>
        png === "" ? (
          <p>The picture is no longer kept.</p>
        ) : (
          <img class="event-picture" src={`data:image/png;base64,${png}`} alt="What the page looked like" />
        )
      }
    </Loaded>
  );
}

function LiveState({ log, isActive }: { log: EventLog; isActive: boolean }) {
  if (!isActive) return null;
  return log.isLive ? (
    <span class="live-state is-live">Live</span>
  ) : (
    <span class="live-state">Connecting…</span>
  );
}

interface LogStateProps {
  log: EventLog;
  isEmpty: boolean;
  isFiltered: boolean;
  what: string;
  children: preact.ComponentChildren;
}

/** A log, or what stands in its place. */
export function LogState({ log, isEmpty, isFiltered, what, children }: LogStateProps) {
  if (!isEmpty) return children;
  if (log.isLoading) return <Loading lines={8} />;
  if (log.error !== undefined) return <Failure error={log.error} retry={log.retry} />;
  return isFiltered ? <Empty title="Nothing matches the filter" /> : <Empty title={`No ${what}`} />;
}

type Recordable = "console" | "network" | "page";

const DEFAULTS: Record<Recordable, string> = {
  console: "console errors",
  network: "no network requests",
  page: "navigations, downloads and dialogs",
};

interface RecordedProps extends Pick<PanelProps, "session" | "reload"> {
  wanted: readonly Recordable[];
}

/** Says what is not recorded, and records it on request. */
export function Recorded({ session, reload, wanted }: RecordedProps) {
  const { telemetry, session_id, stealth } = session;
  const missing = missingCategories(telemetry);
  const off = wanted.filter((category) => missing.includes(category));
  const hasBodies = isRecord(telemetry?.browser.network) && telemetry.browser.network.bodies === true;
  const offersBodies = wanted.includes("network") && wanted.length === 1 && !hasBodies;
  const change = async (bodies: boolean) => {
    const chosen = Object.fromEntries(
      [...off, ...(bodies ? ["network"] : [])].map((one) => [one, { enabled: true }]),
    );
    const browser = bodies ? { ...chosen, network: { enabled: true, bodies } } : chosen;
    const params = { path: { id_or_name: session_id } };
    await read(api.PATCH("/browsers/{id_or_name}", { params, body: { telemetry: { browser } } }));
    showToast("It is recorded from now on.");
    reload();
  };
  if (off.length === 0 && !offersBodies) return null;
  return (
    <div class="notice">
      <p>
        {off.length === 0
          ? "Requests are recorded without their bodies."
          : stealth && off.includes("console")
            ? `Not recorded in full: ${off.join(", ")}. Stealth sessions record the console only on request, because pages can detect it.`
            : `By default, a session records ${off.map((category) => DEFAULTS[category]).join("; ")}.`}
      </p>
      {off.length > 0 && (
        <ActionButton action={() => change(false)}>Record all of {off.join(", ")}</ActionButton>
      )}
      {offersBodies && <ActionButton action={() => change(true)}>Record bodies, too</ActionButton>}
    </div>
  );
}
