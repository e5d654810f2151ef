import { NotAvailable } from "../../ui/states.tsx";
import type { Session } from "./panel.ts";

/** Ends that nobody asked for. */
const LOSSES = ["browser_lost", "organization_ended", "lifetime"];

/** Why a session has ended. */
export function Ended({ session: { end_reason, end_details, evidence } }: { session: Session }) {
  const last = evidence?.tabs[0];
  return (
    <section class={LOSSES.includes(end_reason ?? "") ? "end-note is-bad" : "end-note"} aria-label="End">
      <p>
        <strong>{end_details ?? "The session has ended."}</strong>
      </p>
      {last !== undefined && (
        <p class="dim">
          Last page: {last.title} {last.url}
        </p>
      )}
    </section>
  );
}

/** In place of a part that only active sessions have. */
export function OnlyActive({ what }: { what: string }) {
  return (
    <NotAvailable title="The session has ended">
      {what} Events, the last screenshot and recordings are kept for some time.
    </NotAvailable>
  );
}
