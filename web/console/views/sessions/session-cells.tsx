import type { Schemas } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Empty } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Elapsed, Time, TimeLeft } from "../../ui/time.tsx";
import { WaitingBadge } from "../waiting.tsx";
import { summarizeEnd } from "./end-reasons.ts";
import { Thumbnail } from "./thumbnail.tsx";

export type Session = Schemas["BrowserSession"];

/** Which sessions a list can contain. */
export type Status = "active" | "deleted" | "all";

const NAME: Column<Session> = { title: "Session", cell: SessionName };
const STATE: Column<Session> = {
  title: "State",
  cell: (session) => (isActive(session) ? <Badge tone="good">Active</Badge> : <EndBadge {...session} />),
};
const ENDED: Column<Session> = {
  title: "Ended",
  cell: ({ deleted_at }) => deleted_at && <Time at={deleted_at} />,
};
const toLength = ({ created_at, deleted_at }: Session) => <Elapsed since={created_at} until={deleted_at} />;

/** The first columns of every session table. */
export const COLUMNS: Readonly<Record<Status, readonly Column<Session>[]>> = {
  active: [NAME, { title: "Age", cell: toLength }],
  deleted: [NAME, ENDED, { title: "Ran", cell: toLength }, { title: "Why", cell: EndBadge }],
  all: [NAME, STATE, ENDED, { title: "Ran", cell: toLength }],
};

/** A short table of sessions; the list shows more. */
export function SessionTable({ caption, sessions }: { caption: string; sessions: readonly Session[] }) {
  if (sessions.length === 0) return <Empty title="No sessions" />;
  const status = sessions.every(isActive) ? "active" : sessions.some(isActive) ? "all" : "deleted";
  return (
    <div class="session-page">
      <Table
        caption={caption}
        columns={COLUMNS[status]}
        rows={sessions}
        idOf={({ session_id }) => session_id}
      />
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
function SessionName(session: Session) {
  const { session_id, name, headless, stealth, record } = session;
  const href = `/console/sessions/${session_id}`;
  return (
    <div class="session-cell">
      {isActive(session) && <Thumbnail {...session} />}
      <div>
        {name !== undefined && (
          <a class="row-name session-name" title={name} href={href}>
            {name}
          </a>
        )}
        <span class="session-marks">
          <CopyId id={session_id} what="the session id" href={name === undefined ? href : undefined} />
          <WaitingBadge id={session_id} />
          {headless && <Badge>Headless</Badge>}
          {stealth && <Badge>Stealth</Badge>}
          {record && <Badge>Recorded</Badge>}
        </span>
      </div>
    </div>
  );
}

/** Why a session ended. The details appear on hover. */
export function EndBadge({ end_reason, end_details }: Pick<Session, "end_reason" | "end_details">) {
  const { word, tone } = summarizeEnd(end_reason);
  return (
    <span title={end_details}>
      <Badge tone={tone}>{word}</Badge>
    </span>
  );
}

/** How long until the session ends if nobody uses it. */
export function IdleTime({ activity }: Session) {
  if (activity === undefined) return null;
  return activity.ends_at === undefined ? <>In use</> : <TimeLeft until={activity.ends_at} />;
}
