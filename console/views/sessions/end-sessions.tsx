import { useEffect, useRef, useState } from "preact/hooks";
import { APIError, api, read } from "../../api/client.ts";
import { toError } from "../../api/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import { nameOf, type Session } from "./session-cells.tsx";

const AT_ONCE = 5;

interface EndSessionsProps {
  sessions: readonly Session[];
  /** Called with the sessions that could not be ended. */
  onEnded: (failed: readonly Session[]) => void;
  onClose: () => void;
}

/** Asks before it ends sessions, and tells the error of each that it could not end. Closing it stops it. */
export function EndSessions({ sessions, onEnded, onClose }: EndSessionsProps) {
  const [left, setLeft] = useState(sessions);
  const [errors, setErrors] = useState<readonly Error[]>([]);
  const [done, setDone] = useState<number>();
  const isClosed = useRef(false);
  useEffect(
    () => () => {
      isClosed.current = true;
    },
    [],
  );
  const run = async () => {
    setErrors([]);
    setDone(0);
    const failed = new Map<Session, Error>();
    const queue = left.values();
    const work = async () => {
      for (const session of queue) {
        if (isClosed.current) return;
        await endSession(session).catch((error) => failed.set(session, toError(error)));
        setDone((count = 0) => count + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (isClosed.current) return;
    const ended = left.length - failed.size;
    if (ended > 0) showToast(ended === 1 ? "1 session was ended." : `${ended} sessions were ended.`);
    setLeft([...failed.keys()]);
    setErrors([...failed.values()]);
    setDone(undefined);
    onEnded([...failed.keys()]);
    if (failed.size === 0) onClose();
  };
  const what = left.length === 1 ? "1 session" : `${left.length} sessions`;
  const hasFailed = errors.length > 0;
  return (
    <Dialog
      title={hasFailed ? `${what} could not be ended` : `End ${what}?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{hasFailed ? "Close" : "Cancel"}</Button>
          <Button kind="danger" isBusy={done !== undefined} onClick={() => void run()}>
            {hasFailed ? "Try again" : "End"}
          </Button>
        </>
      }
    >
      {!hasFailed && <p>Browsers and processes end, files are deleted and connections closed.</p>}
      <ul class="end-list" role={hasFailed ? "alert" : undefined}>
        {left.map((session, index) => (
          <li key={session.session_id}>
            {nameOf(session)} {errors[index] && <span class="field-problem">{errors[index].message}</span>}
          </li>
        ))}
      </ul>
      {done !== undefined && <p role="status">{`${done} of ${left.length} done`}</p>}
    </Dialog>
  );
}

async function endSession({ session_id }: Session): Promise<void> {
  try {
    await read(api.DELETE("/browsers/{id_or_name}", { params: { path: { id_or_name: session_id } } }));
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof APIError) || error.status !== 404) throw error;
  }
}
