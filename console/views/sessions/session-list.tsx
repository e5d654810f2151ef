import { useEffect, useState } from "preact/hooks";
import { api, readPage } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { type Query, useQuery } from "../../app/query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { PAGE_SIZE, Pager } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Elapsed } from "../../ui/time.tsx";
import { EndSessions } from "./end-sessions.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { readFilters, toListQuery } from "./filters.ts";
import { IdleTime, isActive, nameOf, type Session, SessionName, SessionState } from "./session-cells.tsx";
import { useSessionPage } from "./use-session-page.ts";

const CONNECTIONS = {
  connecting: ["neutral", "Connecting…"],
  live: ["good", "Live"],
  reconnecting: ["warn", "Reconnecting…"],
  ended: ["bad", "Not live"],
} as const;

/** The sessions of the organization, which follow what happens. */
export function SessionList() {
  const [query, setQuery] = useQuery();
  const listQuery = toListQuery(query, PAGE_SIZE);
  const page = useSessionPage(listQuery);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [ending, setEnding] = useState<readonly Session[]>();
  useEffect(() => setSelected(new Set()), [listQuery]);
  const sessions = page.data?.sessions ?? [];
  const active = new Map(sessions.filter(isActive).map((session) => [session.session_id, session]));
  const chosen = [...active.values()].filter(({ session_id }) => selected.has(session_id));
  const names = useNames(sessions);
  const [tone, text] = CONNECTIONS[page.connection];
  return (
    <Page
      title="Sessions"
      status={
        <>
          <span role="status">
            <Badge tone={tone}>{text}</Badge>
          </span>
          {page.data && <span class="dim">{page.data.counts.active} active</span>}
        </>
      }
      actions={
        <ButtonLink kind="primary" href="/console/sessions/new">
          New session
        </ButtonLink>
      }
    >
      <FilterBar names={names} />
      <Loaded resource={page} lines={6}>
        {({ has_more }) => (
          <div class={page.isStale ? "session-page is-stale" : "session-page"} aria-busy={page.isStale}>
            {sessions.length === 0 ? (
              <NoSessions query={query} />
            ) : (
              <Table
                caption="Sessions"
                columns={columns(
                  (parameter, value) => setQuery({ [parameter]: value, offset: undefined }),
                  names,
                  (session) => setEnding([session]),
                )}
                rows={sessions}
                idOf={(session) => session.session_id}
                selection={{
                  ids: new Set(chosen.map((session) => session.session_id)),
                  onChange: setSelected,
                  labelOf: (id) => `Select the session ${names(id)}`,
                  canSelect: (id) => active.has(id),
                }}
              />
            )}
            {chosen.length > 0 && (
              <section class="selection-bar" aria-label="Selection">
                <span role="status">{chosen.length} selected</span>
                <Button onClick={() => setSelected(new Set())}>Select none</Button>
                <Button kind="danger" onClick={() => setEnding(chosen)}>
                  End selected
                </Button>
              </section>
            )}
            <Pager offset={Number(query.offset ?? 0)} count={sessions.length} hasMore={has_more} />
          </div>
        )}
      </Loaded>
      {ending && (
        <EndSessions
          sessions={ending}
          onEnded={(failed) => setSelected(new Set(failed.map((session) => session.session_id)))}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Page>
  );
}

function NoSessions({ query }: { query: Query }) {
  if (query.q || readFilters(query).length > 0) return <Empty title="No session matches" />;
  if (query.offset) return <Empty title="There are no more sessions" />;
  const create = <ButtonLink href="/console/sessions/new">New session</ButtonLink>;
  return (
    <Empty title={query.status ? "There is no session" : "No session is active"} action={create}>
      A session is one remote Chrome with its own tabs, cookies and files.
    </Empty>
  );
}

function columns(
  filterBy: (parameter: string, value: string) => void,
  names: (id: string) => string,
  end: (session: Session) => void,
): Column<Session>[] {
  const filter = (parameter: string, value: string | undefined, text: string) =>
    value !== undefined && (
      <button
        key={parameter}
        type="button"
        class="tag is-button"
        title="Show only these sessions"
        onClick={() => filterBy(parameter, value)}
      >
        {text} {parameter.endsWith("_id") && <strong>{names(value)}</strong>}
      </button>
    );
  return [
    { title: "Session", cell: (session) => <SessionName session={session} /> },
    { title: "State", cell: (session) => <SessionState session={session} /> },
    { title: "Age", cell: (session) => <Elapsed since={session.created_at} until={session.deleted_at} /> },
    { title: "Idle time left", cell: ({ activity }) => <IdleTime activity={activity} /> },
    { title: "Clients", isNumber: true, cell: ({ activity }) => activity?.clients ?? "–" },
    { title: "Viewers", isNumber: true, cell: ({ activity }) => activity?.viewers ?? "–" },
    {
      title: "Tags",
      cell: ({ tags }) => (
        <div class="tags">
          {Object.entries(tags).map(([key, value]) => filter(`tags[${key}]`, value, `${key}=${value}`))}
        </div>
      ),
    },
    {
      title: "With",
      cell: ({ pool, profile, proxy_id, api_key }) => (
        <div class="tags">
          {filter("pool_id", pool?.id, "pool")}
          {filter("profile_id", profile?.id, "profile")}
          {filter("proxy_id", proxy_id, "proxy")}
          {filter("api_key_id", api_key?.id, "key")}
        </div>
      ),
    },
    {
      title: "Actions",
      cell: (session) =>
        isActive(session) && (
          <Button label={`End the session ${nameOf(session)}`} kind="danger" onClick={() => end(session)}>
            End
          </Button>
        ),
    },
  ];
}

/** Names by id, of what the page and its filters mention. */
function useNames(sessions: readonly Session[]): (id: string) => string {
  const proxies = useLoad("/proxies", (signal) =>
    readPage(api.GET("/proxies", { params: { query: { limit: 100 } }, signal })),
  );
  const named = sessions.flatMap(({ session_id, name, pool, profile, api_key }) => [
    { id: session_id, name },
    ...[pool, profile, api_key].filter((item) => item !== undefined),
  ]);
  const names = new Map([...(proxies.data?.items ?? []), ...named].map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
}
