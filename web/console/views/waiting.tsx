import { NotifyButton, useHandoffs } from "../app/handoffs.tsx";
import { Badge } from "../ui/badge.tsx";
import { Section } from "../ui/page.tsx";
import { TimeLeft } from "../ui/time.tsx";
import { HandoffLinks } from "./session/handoffs.tsx";

/** The agents that wait for a person. */
export function WaitingAgents() {
  const handoffs = useHandoffs();
  if (handoffs.length === 0) return null;
  const title = handoffs.length === 1 ? "1 agent is waiting" : `${handoffs.length} agents are waiting`;
  return (
    <div class="waiting">
      <Section title={`${title} for you`} actions={<NotifyButton />}>
        <ul>
          {handoffs.map(
            ({ handoff_id, session_id, session_name, instructions, expires_at, live_view_url }) => (
              <li key={handoff_id}>
                <p>
                  <strong class="instructions">“{instructions}”</strong>
                  <span class="dim">
                    <a href={`/console/sessions/${session_id}`}>{session_name ?? session_id}</a>,{" "}
                    <TimeLeft until={expires_at} /> left
                  </span>
                </p>
                <HandoffLinks url={live_view_url} />
              </li>
            ),
          )}
        </ul>
      </Section>
    </div>
  );
}

/** Marks a session that waits for a person. */
export function WaitingBadge({ id }: { id: string }) {
  const isWaiting = useHandoffs().some(({ session_id }) => session_id === id);
  return isWaiting ? <Badge tone="warn">Waiting for you</Badge> : null;
}
