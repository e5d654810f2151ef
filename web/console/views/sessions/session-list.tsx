import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { follow } from "../../api/events.ts";
import { useVisible } from "../../api/hooks.ts";
import { type Query, useQuery } from "../../app/query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Icon } from "../../ui/icon.tsx";
import { FilterBar, Pager } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { nameOfChoice, useChoices } from "./browser-fields.tsx";
import { EndSessions } from "./end-sessions.tsx";
import { readFilters, STATUS, toListQuery, toStatus } from "./filters.ts";
import {
  COLUMNS,
  IdleTime,
  isActive,
  NewSession,
  nameOf,
  type Session,
  type Status,
} from "./session-cells.tsx";
import { SessionGrid } from "./session-grid.tsx";

/** The organization's sessions, updated live. */
export function SessionList() {
  const [query, setQuery] = useQuery();
  const listQuery = toListQuery(query);
  const { page, isLive, isStale } = useSessionPage(listQuery);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setSelected(new Set()), [listQuery]);
  const sessions = page.data?.sessions ?? [];
  const active = sessions.filter(isActive);
  const chosen = active.filter(({ session_id }) => selected.has(session_id));
  const names = useNames(sessions);
  const status = toStatus(query);
  const isGrid = query.view === "grid" && status === "active";
  const selection = {
    ids: new Set(chosen.map(({ session_id }) => session_id)),
    onChange: setSelected,
    labelOf: (id: string) => `Select the session ${names(id)}`,
    canSelect: (id: string) => active.some(({ session_id }) => session_id === id),
  };
  const filterBy: FilterBy = (param, value) => setQuery({ [param]: value, offset: undefined });
  return (
    <Page
      title="Sessions"
      status={
        <>
          <span role="status">
            <Badge tone={isLive ? "good" : "warn"}>{isLive ? "Live" : "Not live"}</Badge>
          </span>
          {page.data && <span class="dim">{page.data.counts.active} active</span>}
        </>
      }
      actions={<NewSession />}
    >
      <SessionFilters {...{ query, filterBy, names }} />
      <Loaded resource={page} lines={6}>
        {({ has_more }) => (
          <div class={isStale ? "session-page is-stale" : "session-page"} aria-busy={isStale}>
            {sessions.length === 0 ? (
              <NoSessions query={query} />
            ) : isGrid ? (
              <SessionGrid sessions={sessions} />
            ) : (
              <Table
                caption="Sessions"
                columns={columns(status, filterBy, names)}
                rows={sessions}
                idOf={({ session_id }) => session_id}
                selection={status === "deleted" ? undefined : selection}
              />
            )}
            {chosen.length > 0 && (
              <section class="selection-bar" aria-label="Selection">
                <span role="status">{chosen.length} selected</span>
                <EndSessions sessions={chosen} label="End the selected sessions" />
              </section>
            )}
            <Pager offset={Number(query.offset ?? 0)} count={sessions.length} hasMore={has_more} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

type SessionPage = Schemas["SessionPageEvent"];

interface LivePage {
  data?: SessionPage;
  error?: Error;
  isLive: boolean;
  /** What the data is for. */
  query: string;
}

/** Follows a page of the list of sessions. The previous page stays until the new one has loaded. */
function useSessionPage(query: string) {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<LivePage>({ isLive: false, query });
  const isVisible = useVisible();
  useEffect(() => {
    // The service polls the list for it.
    if (!isVisible) return;
    const controller = new AbortController();
    const change = (changes: Partial<LivePage>) => {
      if (!controller.signal.aborted) setState((before) => ({ ...before, ...changes }));
    };
    change({ error: undefined, isLive: false });
    void follow<SessionPage>({
      path: () => `/org/sessions/stream?${query}`,
      onEvent: (data) => change({ data, query }),
      onState: (isOpen) => change({ isLive: isOpen }),
      onError: (error) => change({ error }),
      signal: controller.signal,
    });
    return () => controller.abort();
  }, [query, round, isVisible]);
  const { data, error, isLive } = state;
  const page = { data, error, reload: () => setRound((count) => count + 1) };
  return { page, isLive, isStale: state.query !== query };
}

type FilterBy = (param: string, value: string | undefined) => void;
type Names = (id: string) => string;

/** Names by id, of what the page and its filters mention. */
function useNames(sessions: readonly Session[]): Names {
  const { data } = useChoices();
  const named = sessions.flatMap((session) => [
    { id: session.session_id, name: session.name },
    ...[session.pool, session.profile, session.api_key],
  ]);
  return (id) => named.find((item) => item?.id === id)?.name ?? nameOfChoice(data, id);
}

const VIEWS = [
  [undefined, "List"],
  ["grid", "Grid"],
] as const;

/** The search, the filters and the view, all of them in the address. */
function SessionFilters({ query, filterBy, names }: { query: Query; filterBy: FilterBy; names: Names }) {
  const [, setQuery] = useQuery();
  return (
    <div class="session-filters">
      <FilterBar search="Name, id or tag=value" filters={[STATUS]}>
        {toStatus(query) === "active" && (
          <div class="toggles">
            {VIEWS.map(([view, label]) => (
              <button
                key={label}
                type="button"
                class="toggle"
                aria-label={`${label} view`}
                aria-pressed={query.view === view}
                onClick={() => setQuery({ view })}
              >
                {label}
              </button>
            ))}
          </div>
        )}
      </FilterBar>
      <ul class="tags" aria-label="Filters">
        {readFilters(query).map(({ param, label, value }) => (
          <li key={param}>
            <button
              type="button"
              class="chip"
              aria-label={`Remove the filter ${label}: ${names(value)}`}
              onClick={() => filterBy(param, undefined)}
            >
              {label}: {names(value)}
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function NoSessions({ query }: { query: Query }) {
  if (Object.keys(query).some((name) => !["project", "view"].includes(name)))
    return <Empty title="No matching sessions" />;
  return (
    <Empty title="No active sessions" action={<NewSession />}>
      A session is one remote Chrome with its own tabs, cookies and files.
    </Empty>
  );
}

const ACTIVITY: readonly Column<Session>[] = [
  { title: "Idle time left", cell: IdleTime },
  { title: "Clients", isNumber: true, cell: ({ activity }) => activity?.clients },
  { title: "Viewers", isNumber: true, cell: ({ activity }) => activity?.viewers },
];

const ACTIONS: Column<Session> = {
  title: "Actions",
  cell: (session) =>
    isActive(session) && <EndSessions sessions={[session]} label={`End the session ${nameOf(session)}`} />,
};

function columns(status: Status, filterBy: FilterBy, names: Names): Column<Session>[] {
  const filters = (items: readonly (readonly [param: string, value: string | undefined, text: string])[]) => (
    <div class="tags">
      {items.map(
        ([param, value, text]) =>
          value !== undefined && (
            <button
              key={param}
              type="button"
              class="tag is-button"
              title="Show only these sessions"
              onClick={() => filterBy(param, value)}
            >
              {text} {param.endsWith("_id") && <strong>{names(value)}</strong>}
            </button>
          ),
      )}
    </div>
  );
  const isOfActive = status !== "deleted";
  return [
    ...COLUMNS[status],
    ...(isOfActive ? ACTIVITY : []),
    {
      title: "Tags",
      cell: ({ tags }) =>
        filters(Object.entries(tags).map(([key, value]) => [`tags[${key}]`, value, `${key}=${value}`])),
    },
    {
      title: "With",
      cell: ({ pool, profile, proxy_id, api_key }) =>
        filters([
          ["pool_id", pool?.id, "pool"],
          ["profile_id", profile?.id, "profile"],
          ["proxy_id", proxy_id, "proxy"],
          ["api_key_id", api_key?.id, "key"],
        ]),
    },
    ...(isOfActive ? [ACTIONS] : []),
  ];
}
