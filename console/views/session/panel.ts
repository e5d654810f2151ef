import type { Schemas } from "../../api/client.ts";

export type Session = Schemas["BrowserSession"];

/** What every tab of a session gets. */
export interface PanelProps {
  session: Session;
  isActive: boolean;
  /** Loads the session's facts again. */
  reload: () => void;
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
