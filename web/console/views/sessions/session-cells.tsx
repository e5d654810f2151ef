import type { Schemas } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Elapsed, TimeLeft } from "../../ui/time.tsx";

export type Session = Schemas["BrowserSession"];

/** The first columns of every session table. */
export const COLUMNS: readonly Column<Session>[] = [
  { title: "Session", cell: SessionName },
  { title: "State", cell: SessionState },
  { title: "Age", cell: (session) => <Elapsed since={session.created_at} until={session.deleted_at} /> },
];

/** A short table of sessions; the list shows more. */
export function SessionTable({ caption, sessions }: { caption: string; sessions: readonly Session[] }) {
  if (sessions.length === 0) return <Empty title="No sessions" />;
  return (
    <div class="session-page">
      <Table caption={caption} columns={COLUMNS} rows={sessions} idOf={({ session_id }) => session_id} />
    </div>
  );
}

export function NewSession() {
  return (
    <ButtonLink kind="primary" href="/console/sessions/new">
      New session
    </ButtonLink>
  );
}

export function isActive({ deleted_at }: Session): boolean {
  return deleted_at === undefined;
}

export function nameOf({ session_id, name = session_id }: Session): string {
  return name;
}

/** Links to the session, and marks what is special about it. */
function SessionName({ session_id, name, headless, stealth, record }: Session) {
  return (
    <>
      <a class="row-name session-name" title={name} href={`/console/sessions/${session_id}`}>
        {name ?? session_id}
      </a>
      <span class="session-marks">
        {name !== undefined && <code class="dim">{session_id}</code>}
        {headless && <Badge>Headless</Badge>}
        {stealth && <Badge>Stealth</Badge>}
        {record && <Badge>Recorded</Badge>}
      </span>
    </>
  );
}

function SessionState({ deleted_at, end_reason, end_details }: Session) {
  if (deleted_at === undefined) return <Badge tone="good">Active</Badge>;
  return (
    <span>
      <Badge tone={end_reason === "browser_lost" ? "bad" : "neutral"}>Ended</Badge>{" "}
      <span class="dim">{end_details}</span>
    </span>
  );
}

/** How long until the session ends if nobody uses it. */
export function IdleTime({ activity }: Session) {
  if (activity === undefined) return <span class="dim">–</span>;
  return activity.ends_at === undefined ? <>In use</> : <TimeLeft until={activity.ends_at} />;
}
