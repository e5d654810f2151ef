import { useState } from "preact/hooks";
import { api, read, readPage, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useQuery } from "../../app/query.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { ConfirmButton } from "../../ui/dialog-button.tsx";
import { type Filter, List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";

type Session = Schemas["OperatorSession"];

const REFRESH_MS = 10_000;
const MAX_ORGANIZATIONS = 100;

const STATES: Readonly<Record<Session["state"], readonly [Tone, string]>> = {
  starting: ["info", "Starting"],
  idle: ["neutral", "Idle in its pool"],
  active: ["good", "Active"],
  ended: ["neutral", "Ended"],
};

const STATUSES = [
  ["active", "Not ended"],
  ["deleted", "Ended"],
  ["all", "All"],
] as const;

export function AllSessions() {
  return (
    <Page title="All sessions">
      <SessionTable filters={[useOrganizationFilter()]} />
    </Page>
  );
}

/** Offers the newest organizations. Others have their sessions on their own pages. */
function useOrganizationFilter(): Filter {
  const [{ organization }] = useQuery();
  const { data } = useLoad("/admin/organizations", (signal) =>
    readPage(api.GET("/admin/organizations", { params: { query: { limit: MAX_ORGANIZATIONS } }, signal })),
  );
  const options = new Map([["", "All"]]);
  // The chosen one counts before the list has loaded, and even if it is not among the newest.
  if (organization !== undefined) options.set(organization, organization);
  for (const { id, name } of data?.items ?? []) options.set(id, name);
  return { param: "organization", label: "Organization", options: [...options] };
}

interface SessionTableProps {
  /** Absent: the sessions of all organizations, or of the one that a filter chooses. */
  organizationId?: string;
  filters?: Filter[];
}

/** Sessions for the operator, who can end them but not see into them. */
export function SessionTable({ organizationId, filters = [] }: SessionTableProps) {
  const [ended, setEnded] = useState(0);
  const end = async (id: string) => {
    await read(api.DELETE("/admin/sessions/{id}", { params: { path: { id } } }));
    showToast("The session has ended.");
    setEnded((count) => count + 1);
  };
  const columns: Column<Session>[] = [
    { title: "Session", cell: SessionName },
    ...(organizationId ? [] : [{ title: "Organization", cell: OrganizationLink }]),
    { title: "State", cell: SessionState },
    { title: "Pool", cell: ({ pool }) => pool?.name ?? pool?.id ?? "–", isMinor: true },
    { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
    { title: "Idle or ended", cell: ({ deleted_at, idle_since }) => <Time at={deleted_at ?? idle_since} /> },
    { title: "Clients", cell: ({ clients }) => clients, isNumber: true },
    { title: "Viewers", cell: ({ viewers }) => viewers, isNumber: true },
    {
      title: "Actions",
      cell: ({ state, session_id: id, name = id }) =>
        state !== "ended" && (
          <div class="row-actions">
            <ConfirmButton
              label={`End the session ${name}`}
              question="End this session?"
              consequence="The browser closes and the profile is saved, as when the organization ends the session. A pool replaces its browser."
              confirm="End"
              action={() => end(id)}
            />
          </div>
        ),
    },
  ];
  return (
    <List
      caption="Sessions"
      name={`/admin/sessions of ${organizationId}`}
      version={ended}
      search="Search by name or id"
      filters={[...filters, { param: "status", label: "Status", options: STATUSES }]}
      load={(page, signal, chosen) => {
        const status = STATUSES.find(([value]) => value === chosen.status)?.[0];
        const organization_id = organizationId ?? (chosen.organization || undefined);
        const params = { query: { ...page, status, organization_id } };
        return readPage(api.GET("/admin/sessions", { params, signal }));
      }}
      columns={columns}
      idOf={({ session_id }) => session_id}
      empty={(isFiltered) => (
        <Empty title={isFiltered ? "No matching sessions" : "No sessions are running"} />
      )}
      refreshMs={REFRESH_MS}
    />
  );
}

function SessionName({ session_id, name }: Session) {
  return (
    <>
      {name !== undefined && <span class="row-name">{name}</span>}
      <CopyId id={session_id} what="the session id" />
    </>
  );
}

function OrganizationLink({ organization: { id, name } }: Session) {
  if (name === null) return <span class="dim">Deleted</span>;
  return <a href={`/console/organizations/${id}`}>{name}</a>;
}

function SessionState({ state, end_details }: Session) {
  const [tone, text] = STATES[state];
  return (
    <span>
      <Badge tone={tone}>{text}</Badge> <span class="dim">{end_details}</span>
    </span>
  );
}
