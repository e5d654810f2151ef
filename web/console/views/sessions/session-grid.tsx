import { TimeLeft } from "../../ui/time.tsx";
import { WaitingBadge } from "../waiting.tsx";
import { nameOf, type Session } from "./session-cells.tsx";
import { Thumbnail } from "./thumbnail.tsx";

/** Live pictures of sessions. */
export function SessionGrid({ sessions }: { sessions: readonly Session[] }) {
  return (
    <ul class="session-grid" aria-label="Sessions">
      {sessions.map((session) => (
        <li key={session.session_id}>
          <a class="section session-card" href={`/console/sessions/${session.session_id}`}>
            <Thumbnail {...session} />
            <strong class="session-name">{nameOf(session)}</strong>
            <span class="session-marks dim">
              <WaitingBadge id={session.session_id} />
              {session.activity?.ends_at === undefined ? (
                "In use"
              ) : (
                <span>
                  Idle, ends in <TimeLeft until={session.activity.ends_at} />
                </span>
              )}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
