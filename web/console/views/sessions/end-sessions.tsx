import { APIError, api, read } from "../../api/client.ts";
import { toError } from "../../api/hooks.ts";
import { ConfirmButton } from "../../ui/dialog-button.tsx";
import { showToast } from "../../ui/toast.tsx";
import { count } from "../profiles/contents.ts";
import { nameOf, type Session } from "./session-cells.tsx";

/** Asks before it ends sessions. */
export function EndSessions({ sessions, label }: { sessions: readonly Session[]; label: string }) {
  return (
    <ConfirmButton
      label={label}
      question={`End ${count(sessions.length, "session")}?`}
      consequence={`Browsers and processes end, files are deleted and connections closed: ${sessions.map(nameOf).join(", ")}.`}
      confirm="End"
      action={() => endAll(sessions)}
    />
  );
}

/** Sessions that have ended meanwhile count as ended. @throws Error that says how many failed and why. */
async function endAll(sessions: readonly Session[]): Promise<void> {
  const ids = sessions.map(({ session_id }) => session_id);
  const results = await Promise.allSettled(
    ids.map((id_or_name) => read(api.DELETE("/browsers/{id_or_name}", { params: { path: { id_or_name } } }))),
  );
  const errors = results
    .flatMap((result) => (result.status === "rejected" ? [toError(result.reason)] : []))
    .filter((error) => !(error instanceof APIError && error.status === 404));
  const [first] = errors;
  if (first !== undefined) {
    throw new Error(
      `${errors.length} of ${count(ids.length, "session")} could not be ended: ${first.message}`,
    );
  }
  showToast(`${count(ids.length, "session")} ended.`);
}
