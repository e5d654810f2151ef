import { unwrap } from "../../../lib/common/outcome.ts";
import type { BrowserSessionRow } from "../../../lib/database/schema/browser-sessions.ts";
import type { CallerReach } from "../../organizations/index.ts";
import { type EventPage, type EventQuery, openArchive, readEventPage } from "../../telemetry/index.ts";
import { sessionObject } from "../stub.ts";

export async function readEvents(
  env: Env,
  caller: CallerReach,
  { id, organizationId, state }: Pick<BrowserSessionRow, "id" | "organizationId" | "state">,
  query: EventQuery,
): Promise<EventPage> {
  // The file of an ended session is written shortly after its end.
  const archive =
    state === "ended" ? await openArchive(env.FILES, { organizationId, sessionId: id }) : undefined;
  if (archive !== undefined) return readEventPage(archive, query);
  const outcome = await sessionObject(env, id).readEvents(caller, query);
  // The object of a session that ended long ago has no data left.
  if (state === "ended" && !outcome.ok) return { items: [] };
  return unwrap(outcome);
}
