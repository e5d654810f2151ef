import { api, read } from "../api/client.ts";
import type { Identity } from "./identity.ts";
import type { Entry } from "./matching.ts";
import { navigationFor } from "./navigation.ts";

const MAX_FOUND = 5;
const MAX_RECENT = 5;

const ACTIONS: readonly (readonly [href: string, label: string])[] = [
  ["/console/sessions/new", "New session"],
  ["/console/pools/new", "New pool"],
  ["/console/proxies/new", "New proxy"],
  ["/console/invocations/new", "New invocation"],
];

/** What is always there: pages and actions. */
export function staticEntries(identity: Identity): Entry[] {
  const actions = identity.kind === "operator" ? [] : ACTIONS;
  const pages = navigationFor(identity).flatMap(({ label: group, entries }) =>
    entries.map(([href, label]) => ({ href, label, kind: "Page", detail: group })),
  );
  return [...pages, ...actions.map(([href, label]) => ({ href, label, kind: "Action" }))];
}

/** Sessions, pools and apps whose names or ids match. A key may not read all of them. */
export async function findEntries(text: string, signal: AbortSignal): Promise<Entry[]> {
  const query = { query: text, limit: MAX_FOUND };
  const orNone = <T>(call: Promise<T[]>) => call.catch((): T[] => []);
  const [sessions, pools, apps] = await Promise.all([
    orNone(read(api.GET("/browsers", { params: { query: { ...query, status: "all" } }, signal }))),
    orNone(read(api.GET("/browser_pools", { params: { query }, signal }))),
    orNone(read(api.GET("/apps", { params: { query }, signal }))),
  ]);
  return [
    ...sessions.map(({ session_id: id, name = id }) => ({
      href: `/console/sessions/${id}`,
      label: name,
      kind: "Session",
      detail: id,
    })),
    ...pools.map(({ id, name = id }) => ({
      href: `/console/pools/${id}`,
      label: name,
      kind: "Pool",
      detail: id,
    })),
    ...apps.map(({ app_name, version }) => ({
      href: `/console/invocations/new?${new URLSearchParams({ app: app_name, version })}`,
      label: `${app_name} ${version}`,
      kind: "App",
    })),
  ];
}

/** What was chosen lately in this tab. @param owner whose it is: nobody else sees the names. */
export function readRecent(owner: string): Entry[] {
  return JSON.parse(sessionStorage.getItem(storageKey(owner)) ?? "[]");
}

export function addRecent(owner: string, entry: Entry): void {
  const others = readRecent(owner).filter(({ href }) => href !== entry.href);
  sessionStorage.setItem(storageKey(owner), JSON.stringify([entry, ...others].slice(0, MAX_RECENT)));
}

function storageKey(owner: string): string {
  return `berth-recent ${owner}`;
}
