import type { Schemas } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { TimeLeft } from "../../ui/time.tsx";

export type Session = Schemas["BrowserSession"];

export function isActive(session: Session): boolean {
  return session.deleted_at === undefined;
}

export function nameOf(session: Session): string {
  return session.name ?? session.session_id;
}

/** Links to the session, and marks what is special about it. */
export function SessionName({ session }: { session: Session }) {
  const { session_id, name, headless, stealth, record } = session;
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

export function SessionState({ session }: { session: Session }) {
  const { end_reason, end_details } = session;
  if (isActive(session)) return <Badge tone="good">Active</Badge>;
  return (
    <span title={end_details}>
      <Badge tone={end_reason === "browser_lost" ? "bad" : "neutral"}>Ended</Badge>{" "}
      <span class="dim">{end_reason?.replaceAll("_", " ")}</span>
    </span>
  );
}

/** How long until the session ends if nobody uses it. */
export function IdleTime({ activity }: { activity: Session["activity"] }) {
  if (activity === undefined) return <span class="dim">–</span>;
  return activity.ends_at === undefined ? <>In use</> : <TimeLeft until={activity.ends_at} />;
}
