import { tryDecode } from "hono/utils/url";
import { cut } from "../../lib/common/cut.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import type { AuditLogEntry } from "./schema.ts";

/** An entry that the organization's log has not numbered yet. */
export type NewEntry = Omit<AuditLogEntry, "sequence" | "hash">;

/** How a request was answered. Times are milliseconds since the epoch. */
interface Answer extends Pick<NewEntry, "status" | "auth_strategy" | "user_id"> {
  /** Pattern of the route that matched. */
  route: string | undefined;
  startedAt: number;
  answeredAt: number;
}

const MAX_PATH_LENGTH = 512;
const MAX_DOMAIN_LENGTH = 253;
const MAX_ADDRESS_LENGTH = 45;
const MAX_USER_AGENT_LENGTH = 256;

const REDACTED = "[redacted]";

/** API keys, keys of runs, and signed tokens. */
const SECRET = /(berth_|eyJ)[\w.~+/=-]{16,}/g;

/** The id of a WebDriver session contains a token. */
const SECRET_ROUTE = /:session_id\b/;

const SERVICES: [route: RegExp, service: NewEntry["service"]][] = [
  [/^\/mcp$/, "mcp"],
  [/^\/cdp\//, "cdp"],
  [/^(\/wd\/hub)?\/session\b|^\/webdriver\//, "webdriver"],
  [/^\/live\//, "live_view"],
  [/^\/replay\//, "replays"],
];

/** Describes a call without its query, and without tokens anywhere. */
export function describeCall(
  request: Pick<Request, "method" | "url" | "headers">,
  { route = "unmatched", startedAt, answeredAt, status, ...caller }: Answer,
): NewEntry {
  const { host, pathname } = new URL(request.url);
  return {
    event_id: newIdentifier(),
    timestamp: new Date(startedAt).toISOString(),
    method: request.method,
    path: SECRET_ROUTE.test(route) ? route : cut(redactPath(pathname), MAX_PATH_LENGTH),
    route,
    domain: cut(host, MAX_DOMAIN_LENGTH),
    service: SERVICES.find(([pattern]) => pattern.test(route))?.[1] ?? "api",
    status,
    duration_ms: answeredAt - startedAt,
    ...caller,
    email: "",
    client_ip: cut(request.headers.get("cf-connecting-ip") ?? "", MAX_ADDRESS_LENGTH),
    user_agent: cut(redact(request.headers.get("user-agent") ?? ""), MAX_USER_AGENT_LENGTH),
  };
}

function redact(text: string): string {
  return text.replaceAll(SECRET, REDACTED);
}

/** A token may be percent-encoded. */
function redactPath(path: string): string {
  const isSecret = (segment: string) => tryDecode(segment, decodeURIComponent).search(SECRET) >= 0;
  return path
    .split("/")
    .map((segment) => (isSecret(segment) ? REDACTED : segment))
    .join("/");
}
