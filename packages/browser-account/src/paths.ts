const ID = "[A-Za-z0-9-]{1,100}";

const BROWSER = `/v1/devtools/browser/${ID}`;

interface Operation {
  method: "GET" | "POST" | "DELETE";
  path: RegExp;
  /** Whether it opens a WebSocket. */
  opensSocket?: boolean;
  /** The only query parameters that are forwarded. */
  parameters?: readonly string[];
}

/** Everything that Berth requests from a browser binding. */
const OPERATIONS: readonly Operation[] = [
  { method: "POST", path: /^\/v1\/devtools\/browser$/, parameters: ["keep_alive"] },
  { method: "GET", path: new RegExp(`^${BROWSER}(/page/${ID})?$`), opensSocket: true },
  { method: "GET", path: new RegExp(`^${BROWSER}/json/(version|list|protocol)$`) },
  { method: "DELETE", path: new RegExp(`^${BROWSER}$`) },
  { method: "GET", path: /^\/v1\/sessions$/, parameters: ["limit", "offset"] },
  { method: "GET", path: new RegExp(`^/v1/devtools/session/${ID}$`) },
  { method: "GET", path: /^\/v1\/history$/, parameters: ["limit", "offset"] },
  { method: "GET", path: /^\/v1\/limits$/ },
];

/** Returns the path and query for the binding, or undefined when the request matches no operation. */
export function findForwardedPath(request: Request): string | undefined {
  const { pathname, searchParams } = new URL(request.url);
  const opensSocket = request.headers.get("upgrade")?.toLowerCase() === "websocket";
  const operation = OPERATIONS.find(
    (candidate) =>
      candidate.method === request.method &&
      candidate.path.test(pathname) &&
      (candidate.opensSocket ?? false) === opensSocket,
  );
  if (operation === undefined) return undefined;
  const query = new URLSearchParams();
  for (const name of operation.parameters ?? []) {
    const value = searchParams.get(name);
    if (value !== null) query.set(name, value);
  }
  return query.size === 0 ? pathname : `${pathname}?${query}`;
}
