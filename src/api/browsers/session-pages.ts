import type { HonoRequest } from "hono";
import type { APIKeyCaller } from "../../features/organizations/index.ts";
import {
  presentSessions,
  type SessionFilter,
  type SessionPageEvent,
  watchSessions,
} from "../../features/sessions/index.ts";
import { logError } from "../../lib/common/log.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { ChangeReader } from "../../lib/http/change-reader.ts";
import { toEventStream } from "../../lib/http/event-stream.ts";
import { type PageRequest, toPage } from "../../lib/http/pagination.ts";

const INTERVAL_MS = 2000;

/** Such filters have no index: each read scans all sessions with a status. */
const SCANNING_INTERVAL_MS = 15_000;

/** The platform limits the queries of one request to 1,000. A page has up to four, and is read 120 times. */
export const MAX_STREAM_MS = 4 * 60_000;

/** Server-sent events with a page of the session list, at first and whenever it changes. */
export function watchSessionPages(
  env: Env,
  request: HonoRequest,
  caller: APIKeyCaller,
  filter: SessionFilter,
  page: PageRequest,
): ReadableStream<Uint8Array> {
  const reader = new ChangeReader({
    read: async () => {
      const watched = await watchSessions(openDatabase(env.DB), caller, filter, page);
      if (watched === undefined) return undefined;
      const { items } = toPage(watched.rows, page);
      return { items, has_more: watched.rows.length > items.length, active: watched.active };
    },
    present: async ({ items, has_more, active }): Promise<SessionPageEvent> => ({
      event: "page",
      sessions: await presentSessions(env, request, items, caller),
      has_more,
      counts: { active },
    }),
    onFailure: (error) =>
      logError("session_list_not_read", error, { organization_id: caller.organizationId }),
    intervalMs: isScanning(filter) ? SCANNING_INTERVAL_MS : INTERVAL_MS,
    maxMs: MAX_STREAM_MS,
  });
  request.raw.signal.addEventListener("abort", () => reader.close());
  return toEventStream(
    reader,
    (event) => event,
    () => undefined,
  );
}

/** Whether a page of ended sessions is filtered by something without an index. */
function isScanning({ status, query, tags, poolId, proxyId, profileId, apiKeyId }: SessionFilter): boolean {
  const isFiltered =
    [query, poolId, proxyId, profileId, apiKeyId].some(Boolean) || Object.keys(tags).length > 0;
  return status !== "active" && isFiltered;
}
