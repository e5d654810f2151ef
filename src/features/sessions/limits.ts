import { type SQL, sql } from "drizzle-orm";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { BrowserSessionRow } from "../../lib/database/schema/browser-sessions.ts";
import {
  browserLimit,
  budgetCheck,
  type Check,
  keyLimit,
  limitChecks,
  limitReached,
} from "../organizations/index.ts";

export function sessionChecks(row: Pick<BrowserSessionRow, keyof ProjectScope | "apiKeyId">): Check[] {
  const ofKey = { holds: fitsKeyLimit(row.apiKeyId), refusal: () => limitReached("API key") };
  return [budgetCheck(row), ...poolChecks(row, 1), ofKey];
}

/** @param exceptId a pool whose previous size does not count. */
export function poolChecks(scope: ProjectScope, size: number, exceptId?: string): Check[] {
  return limitChecks(scope, fitsBrowsers(scope, size, exceptId));
}

/** Counts a project's sessions and the sizes of its pools. */
function fitsBrowsers(scope: ProjectScope, browsers: number, exceptPoolId = ""): SQL {
  const { organizationId, projectId } = scope;
  const sessions = sql`(SELECT count(*) FROM browser_sessions AS counted
    WHERE counted.organization_id = ${organizationId} AND counted.project_id = ${projectId}
      AND counted.state <> 'ended' AND counted.pool_id IS NULL)`;
  const pools = sql`(SELECT coalesce(sum(counted.size), 0) FROM browser_pools AS counted
    WHERE counted.organization_id = ${organizationId} AND counted.project_id = ${projectId}
      AND counted.id <> ${exceptPoolId})`;
  return sql`coalesce(${sessions} + ${pools} + ${browsers} <= ${browserLimit(scope)}, TRUE)`;
}

/** Whether an API key may have one more session, including one from a pool. */
export function fitsKeyLimit(apiKeyId: string | null): SQL {
  if (apiKeyId === null) return sql`TRUE`;
  const living = sql`(SELECT count(*) FROM browser_sessions AS counted
    WHERE counted.api_key_id = ${apiKeyId} AND counted.api_key_id IS NOT NULL AND counted.state <> 'ended')`;
  return sql`coalesce(${living} < ${keyLimit(apiKeyId)}, TRUE)`;
}
