import { APIError, api, read } from "../../api/client.ts";
import { toError } from "../../api/hooks.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { nameOf, type Session } from "./session-cells.tsx";

interface EndSessionsProps {
  sessions: readonly Session[];
  onClose: () => void;
}

/** Asks before it ends sessions. */
export function EndSessions({ sessions, onClose }: EndSessionsProps) {
  const end = async () => {
    await endAll(
      sessions.map(({ session_id }) => session_id),
      (id) => read(api.DELETE("/browsers/{id_or_name}", { params: { path: { id_or_name: id } } })),
    );
    onClose();
  };
  return (
    <Dialog title={`End ${count(sessions.length)}?`} onClose={onClose}>
      <Form submit={end} label="End" kind="danger" cancel={onClose}>
        <p>Browsers and processes end, files are deleted and connections closed.</p>
        <ul class="end-list">
          {sessions.map((session) => (
            <li key={session.session_id}>{nameOf(session)}</li>
          ))}
        </ul>
      </Form>
    </Dialog>
  );
}

/** Ends sessions. Those that have ended meanwhile count as ended. @throws Error that says how many failed and why. */
export async function endAll(ids: readonly string[], end: (id: string) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled(ids.map(end));
  const errors = results
    .flatMap((result) => (result.status === "rejected" ? [toError(result.reason)] : []))
    .filter((error) => !(error instanceof APIError && error.status === 404));
  const [first] = errors;
  if (first !== undefined) {
    throw new Error(`${errors.length} of ${count(ids.length)} could not be ended: ${first.message}`);
  }
  showToast(`${count(ids.length)} ended.`);
}

function count(sessions: number): string {
  return sessions === 1 ? "1 session" : `${sessions} sessions`;
}
