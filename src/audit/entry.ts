import { cut } from "../common/cut.ts";
import { newIdentifier } from "../common/identifiers.ts";
import type { AuditLogEntry } from "./schema.ts";

/** An entry before the organization's log has numbered it. */
export type NewEntry = Omit<AuditLogEntry, "sequence" | "hash">;

/** A request that was answered. */
export interface AnsweredCall {
  request: Pick<Request, "method" | "url" | "headers">;
  /** Pattern of the route that matched. */
  route: string | undefined;
  status: number;
  /** Milliseconds since the epoch. */
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

/** Describes a call without its query, and without tokens in any place. */
export function describeCall(
  { request, route = "unmatched", status, startedAt, answeredAt }: AnsweredCall,
  caller: Pick<NewEntry, "auth_strategy" | "user_id">,
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
  const redactSegment = (segment: string) => (decode(segment).search(SECRET) < 0 ? segment : REDACTED);
  return path.split("/").map(redactSegment).join("/");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
