import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, readPage } from "../../api/client.ts";
import { useQuery } from "../../app/query.ts";
import { Badge } from "../../ui/badge.tsx";
import { ConfirmButton } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { FilterSelect, List } from "../../ui/list.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Elapsed, Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { describeUse, endSessions, type Session, STATES } from "./sessions.ts";

const REFRESH_MS = 10_000;

const STATUSES = [
  ["active", "Not ended"],
  ["deleted", "Ended"],
  ["all", "All"],
] as const;

interface SessionTableProps {
  /** Absent: the sessions of all organizations. */
  organizationId?: string;
  /** Chooses an organization. Absent: it is always the same one. */
  filter?: ComponentChildren;
}

/** Sessions for the operator, who can end them but not see into them. */
export function SessionTable({ organizationId, filter }: SessionTableProps) {
  const [query, setQuery] = useQuery();
  const [ended, setEnded] = useState(0);
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const status = STATUSES.find(([value]) => value === query.status)?.[0] ?? "active";
  const key = `${status} ${organizationId}`;
  // Nobody should end a session that the list no longer shows.
  useEffect(() => setSelected(new Set()), [key, query.q, query.offset]);
  const end = async (ids: readonly string[]) => {
    const failures = await endSessions(ids);
    setEnded((count) => count + 1);
    setSelected(new Set(failures.map(({ id }) => id)));
    const [first] = failures;
    if (first !== undefined) {
      throw new Error(`${failures.length} of ${ids.length} could not be ended: ${first.error.message}`);
    }
    showToast(ids.length === 1 ? "The session has ended." : `${ids.length} sessions have ended.`);
  };
  const columns: Column<Session>[] = [
    { title: "Session", cell: SessionName },
    ...(filter === undefined ? [] : [{ title: "Organization", cell: OrganizationLink }]),
    { title: "State", cell: ({ state }) => <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge> },
    {
      title: "Pool",
      cell: ({ pool }) => pool?.name ?? pool?.id ?? <span class="dim">–</span>,
      isMinor: true,
    },
    { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
    { title: status === "active" ? "In use by" : "Use or end", cell: UseOrEnd },
    {
      title: "Actions",
      cell: ({ state, session_id: id, name = id }) =>
        state !== "ended" && (
          <div class="row-actions">
            <EndButton ids={[id]} label={`End the session ${name}`} text="End" end={end} />
          </div>
        ),
    },
  ];
  return (
    <List
      caption="Sessions"
      name="/admin/sessions"
      version={ended}
      search="Search by name or id"
      filters={{
        key,
        isActive: status !== "active" || (filter !== undefined && organizationId !== undefined),
        controls: (
          <>
            {filter}
            <FilterSelect
              label="Status"
              value={status}
              options={STATUSES}
              onChange={(value) =>
                setQuery({ status: value === "active" ? undefined : value, offset: undefined })
              }
            />
            {status === "active" && (
              <EndButton ids={[...selected]} text={`End selected (${selected.size})`} end={end} />
            )}
          </>
        ),
      }}
      selection={
        status === "active"
          ? { ids: selected, onChange: setSelected, labelOf: (id) => `Select the session ${id}` }
          : undefined
      }
      load={(page, signal) => {
        const params = { query: { ...page, status, organization_id: organizationId } };
        return readPage(api.GET("/admin/sessions", { params, signal }));
      }}
      columns={columns}
      idOf={({ session_id }) => session_id}
      empty={(isFiltered) => <Empty title={isFiltered ? "No session matches" : "No session runs now"} />}
      refreshMs={REFRESH_MS}
    />
  );
}

interface EndButtonProps {
  ids: readonly string[];
  text: string;
  label?: string;
  end: (ids: readonly string[]) => Promise<void>;
}

function EndButton({ ids, text, label, end }: EndButtonProps) {
  return (
    <ConfirmButton
      label={label}
      disabled={ids.length === 0}
      question={ids.length === 1 ? "End this session?" : `End these ${ids.length} sessions?`}
      consequence="The browser closes, as if the organization had ended it, and the profile is saved. A pool replaces its browser."
      confirm="End"
      action={() => end(ids)}
    >
      {text}
    </ConfirmButton>
  );
}

function SessionName({ session_id, name }: Session) {
  return (
    <>
      {name !== undefined && <span class="row-name">{name}</span>}
      <CopyText text={session_id} what="the session id" />
    </>
  );
}

function OrganizationLink({ organization: { id, name } }: Session) {
  if (name === null) return <span class="dim">Deleted</span>;
  return <a href={`/console/organizations/${id}`}>{name}</a>;
}

function UseOrEnd(session: Session) {
  const { deleted_at, end_details, idle_since } = session;
  if (deleted_at !== undefined) {
    return (
      <span>
        <Time at={deleted_at} /> <span class="dim">{end_details}</span>
      </span>
    );
  }
  if (idle_since === undefined) return <>{describeUse(session)}</>;
  return (
    <span class="dim">
      Idle for <Elapsed since={idle_since} />
    </span>
  );
}
