import type { Schemas } from "../../api/client.ts";
import type { EventLog } from "./use-events.ts";

export type Session = Schemas["BrowserSession"];
export type Recording = Schemas["Replay"];

/** A recording that is shown. Times are milliseconds since the epoch. */
export interface Player {
  at: number;
  seek: (time: number) => void;
}

/** What every tab of a session gets. */
export interface PanelProps {
  session: Session;
  isActive: boolean;
  /** Loads the session's facts again. */
  reload: () => void;
  log: EventLog;
  player: Player | undefined;
}

/** The path and query of one of the service's URLs, so that it is opened at the console's own origin. */
export function toPath(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** A path below one of the service's URLs, with the URL's token. */
export function toPathBelow(url: string, path: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}/${path}${search}`;
}
