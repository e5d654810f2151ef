import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, read, type Schemas } from "../api/client.ts";
import { useLoad, useVisible } from "../api/hooks.ts";
import { Button } from "../ui/button.tsx";
import { useIdentity } from "./identity.ts";
import { useProjects } from "./projects.tsx";

type PendingHandoff = Schemas["PendingHandoff"];

const REFRESH_MS = 10_000;
const MAX_HANDOFFS = 100;
const MAX_TEXT_LENGTH = 200;

const HandoffsContext = createContext<readonly PendingHandoff[]>([]);

/** The project's pending handoffs, the one that expires first at the top. */
export function useHandoffs(): readonly PendingHandoff[] {
  return useContext(HandoffsContext);
}

/** Watches which agents wait for a person. */
export function HandoffWatch({ children }: { children: ComponentChildren }) {
  const { kind } = useIdentity();
  const { chosen, isReady } = useProjects();
  const isWatched = kind === "organization" && isReady;
  const { data, reload } = useLoad(
    `handoffs ${isWatched} ${chosen}`,
    async (signal) => {
      const params = { query: { limit: MAX_HANDOFFS } };
      return isWatched ? read(api.GET("/handoffs", { params, signal })) : undefined;
    },
    { refreshMs: isWatched ? REFRESH_MS : undefined, whileHidden: readPermission() === "granted" },
  );
  const isVisible = useVisible();
  useEffect(() => {
    // A person may come back from the page of a handoff.
    if (isVisible && data !== undefined) reload();
  }, [isVisible]);
  return (
    <HandoffsContext.Provider value={data ?? []}>
      {children}
      {data && <Notifications key={chosen} pending={data} />}
    </HandoffsContext.Provider>
  );
}

/** Notifies of handoffs that begin while the console is open, until they end. */
function Notifications({ pending }: { pending: readonly PendingHandoff[] }) {
  const { route } = useLocation();
  const [shown] = useState(() => new Map<string, Notification | undefined>());
  const isFirst = useRef(true);
  useEffect(() => {
    for (const handoff of pending) {
      if (shown.has(handoff.handoff_id)) continue;
      const show = () => route(`/console/sessions/${handoff.session_id}`);
      shown.set(handoff.handoff_id, isFirst.current ? undefined : notify(handoff, show));
    }
    for (const [id, notification] of shown) {
      if (!pending.some(({ handoff_id }) => handoff_id === id)) notification?.close();
    }
    isFirst.current = false;
  }, [pending]);
  return null;
}

function notify({ handoff_id, instructions }: PendingHandoff, show: () => void): Notification | undefined {
  if (readPermission() !== "granted") return undefined;
  try {
    // With the same tag, tabs share one notification.
    const options = { body: instructions.slice(0, MAX_TEXT_LENGTH), tag: handoff_id };
    const notification = new Notification("An agent is waiting for you", options);
    notification.onclick = () => {
      window.focus();
      notification.close();
      show();
    };
    return notification;
  } catch {
    // Phones allow it only to service workers.
    return undefined;
  }
}

/** Asks for the permission to notify, if the person has not decided yet. */
export function NotifyButton() {
  const [permission, setPermission] = useState(readPermission);
  if (permission !== "default") return null;
  const ask = () => void Notification.requestPermission().then(setPermission);
  return <Button onClick={ask}>Notify me of new ones</Button>;
}

function readPermission(): NotificationPermission {
  return "Notification" in window ? Notification.permission : "denied";
}
