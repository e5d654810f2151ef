import { api, read } from "../api/client.ts";
import { pause } from "../api/events.ts";
import type { Identity } from "./identity.ts";
import { navigationFor } from "./navigation.ts";
import type { Entry } from "./shortcuts.ts";

const SEARCH_DELAY_MS = 150;
const MAX_FOUND = 5;
const MAX_RECENT = 5;

const ACTIONS = ["session", "pool", "proxy", "invocation"].map((noun) => ({
  href: `/console/${noun === "proxy" ? "proxies" : `${noun}s`}/new`,
  label: `New ${noun}`,
  kind: "Action",
}));

/** What is always there: pages and actions. */
export function staticEntries(identity: Identity): Entry[] {
  const pages = navigationFor(identity).flatMap(({ label: group, entries }) =>
    entries.map(([href, label]) => ({ href, label, kind: "Page", detail: group })),
  );
  return identity.kind === "operator" ? pages : [...pages, ...ACTIONS];
}

/** Sessions, pools and apps whose names or ids match. A key may not read all of them. */
export async function findEntries(text: string, identity: Identity, signal: AbortSignal): Promise<Entry[]> {
  if (text === "" || identity.kind === "operator") return [];
  await pause(SEARCH_DELAY_MS, signal);
  const query = { query: text, limit: MAX_FOUND };
  const orNone = <T>(call: Promise<T[]>) => call.catch((): T[] => []);
  const [sessions, pools, apps] = await Promise.all([
    orNone(read(api.GET("/browsers", { params: { query: { ...query, status: "all" } }, signal }))),
    orNone(read(api.GET("/browser_pools", { params: { query }, signal }))),
    orNone(read(api.GET("/apps", { params: { query }, signal }))),
  ]);
  const toEntry =
    (kind: string, path: string) =>
    (id: string, label = id) => {
      return { href: `/console/${path}${id}`, label, kind, detail: id };
    };
  const [toSession, toPool, toApp] = [
    toEntry("Session", "sessions/"),
    toEntry("Pool", "pools/"),
    toEntry("App", "invocations/new?"),
  ];
  return [
    ...sessions.map(({ session_id, name }) => toSession(session_id, name)),
    ...pools.map(({ id, name }) => toPool(id, name)),
    ...apps.map(({ app_name: app, version }) =>
      toApp(`${new URLSearchParams({ app, version })}`, `${app} ${version}`),
    ),
  ];
}

/** What was chosen lately in this tab. @param owner whose it is: nobody else sees the names. */
export function readRecent(owner: string): Entry[] {
  return JSON.parse(sessionStorage.getItem(`berth-recent ${owner}`) ?? "[]");
}

export function addRecent(owner: string, entry: Entry): void {
  const others = readRecent(owner).filter(({ href }) => href !== entry.href);
  sessionStorage.setItem(`berth-recent ${owner}`, JSON.stringify([entry, ...others].slice(0, MAX_RECENT)));
}
