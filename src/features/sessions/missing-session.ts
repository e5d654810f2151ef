import { notFound, ServiceError } from "../../lib/common/errors.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { CallerReach } from "../organizations/index.ts";
import { describeEnd } from "./end-reason.ts";
import { findSession } from "./queries.ts";

/** For a session that does not exist: says when and why it ended, if it was within the caller's reach. */
export async function missingSession(env: Env, caller: CallerReach, idOrName: string): Promise<ServiceError> {
  const unknown = notFound("browser session");
  const row = await findSession(openDatabase(env.DB), caller, idOrName, { includeEnded: true });
  const reason = row && describeEnd(row, undefined);
  if (!row?.deletedAt || reason === undefined) return unknown;
  const endedAt = new Date(row.deletedAt).toISOString();
  return new ServiceError("not_found", `${unknown.message}: it ended at ${endedAt}. ${reason}`);
}
