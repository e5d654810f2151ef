import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { ServiceError } from "../../../lib/common/errors.ts";
import type { Database } from "../../../lib/database/client.ts";
import { idOfProject, type ProjectScope } from "../../../lib/database/project-scope.ts";
import type { BrowserSessionRow } from "../../../lib/database/schema/browser-sessions.ts";

const RETRY_AFTER_SECONDS = 10;

/** A condition of adding something to a project. */
export interface Check {
  holds: SQL;
  /** The refusal where it does not hold. */
  refusal: () => ServiceError;
}

/** Whether resources may be added to a project. The default project cannot be archived or deleted. */
export function projectChecks({ organizationId, projectId }: ProjectScope): Check[] {
  if (projectId === "") return [];
  const isOpen = sql`EXISTS (SELECT 1 FROM projects WHERE projects.id = ${projectId}
    AND projects.organization_id = ${organizationId} AND projects.status = 'active' AND projects.deleted_at IS NULL)`;
  return [{ holds: isOpen, refusal: projectNotFound }];
}

export function sessionChecks(row: Pick<BrowserSessionRow, keyof ProjectScope | "apiKeyId">): Check[] {
  const ofKey = { holds: fitsKeyLimit(row.apiKeyId), refusal: () => limitReached("API key") };
  return [budgetCheck(row), ...poolChecks(row, 1), ofKey];
}

/** @param exceptId a pool whose previous size does not count. */
export function poolChecks(scope: ProjectScope, size: number, exceptId?: string): Check[] {
  return limitChecks(scope, fitsBrowsers(scope, size, exceptId));
}

export function invocationChecks(scope: ProjectScope): Check[] {
  const unfinished = sql`(SELECT count(*) FROM invocations AS counted
    WHERE counted.organization_id = ${scope.organizationId} AND counted.project_id = ${scope.projectId}
      AND counted.status IN ('queued', 'running'))`;
  const limit = sql`(SELECT projects.max_concurrent_invocations FROM projects
    WHERE projects.id = ${idOfProject(scope)})`;
  return [budgetCheck(scope), ...limitChecks(scope, sql`coalesce(${unfinished} < ${limit}, TRUE)`)];
}

function limitChecks(scope: ProjectScope, fitsProject: SQL): Check[] {
  return [...projectChecks(scope), { holds: fitsProject, refusal: () => limitReached("project") }];
}

/** Whether a session, lease, invocation or deployment may begin. */
export function budgetCheck({ organizationId }: Pick<ProjectScope, "organizationId">): Check {
  return { holds: isWithinBudget(organizationId), refusal: budgetExceeded };
}

/** Whether an organization's hard budget is not used up. */
export function isWithinBudget(organizationId: string | SQLWrapper): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM organizations AS payer
    WHERE payer.id = ${organizationId} AND payer.over_budget_until > ${Date.now()})`;
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
  const limit = sql`(SELECT coalesce(
      (SELECT projects.max_concurrent_sessions FROM projects WHERE projects.id = ${idOfProject(scope)}),
      owner.default_project_max_concurrent_sessions)
    FROM organizations AS owner WHERE owner.id = ${organizationId})`;
  return sql`coalesce(${sessions} + ${pools} + ${browsers} <= ${limit}, TRUE)`;
}

/** Whether an API key may have one more session, including one from a pool. */
export function fitsKeyLimit(apiKeyId: string | null): SQL {
  if (apiKeyId === null) return sql`TRUE`;
  const living = sql`(SELECT count(*) FROM browser_sessions AS counted
    WHERE counted.api_key_id = ${apiKeyId} AND counted.api_key_id IS NOT NULL AND counted.state <> 'ended')`;
  return sql`coalesce(${living} < (SELECT api_keys.max_concurrent_sessions FROM api_keys
    WHERE api_keys.id = ${apiKeyId}), TRUE)`;
}

export function allHold(checks: readonly Check[]): SQL {
  return sql`(${sql.join([sql`TRUE`, ...checks.map(({ holds }) => holds)], sql` AND `)})`;
}

/**
 * Explains why a statement with these conditions changed nothing.
 *
 * @throws ServiceError the refusal of the first condition that does not hold: 402 over the budget, 404 for a
 * project that is archived or deleted, 429 at a limit of the project or the key.
 */
export async function explainRefusal(database: Database, checks: readonly Check[]): Promise<void> {
  const cases = checks.map(({ holds }, index) => sql`WHEN NOT ${holds} THEN ${index}`);
  const [found] = await database.all<{ failed: number | null }>(
    sql`SELECT CASE ${sql.join(cases, sql` `)} END AS failed`,
  );
  const refusal = checks[found?.failed ?? -1]?.refusal;
  if (refusal !== undefined) throw refusal();
}

export function limitReached(whose: "project" | "API key"): ServiceError {
  return new ServiceError(
    "too_many_requests",
    `The ${whose} has reached its limit; end a session or invocation, or wait`,
    { shouldRetry: false, retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

function budgetExceeded(): ServiceError {
  return new ServiceError(
    "budget_exceeded",
    "The organization's budget of this month (hard_budget_usd) is used up; ask the operator to raise it",
    { shouldRetry: false },
  );
}

export function projectNotFound(): ServiceError {
  return new ServiceError("project_not_found", "project not found: it is unknown, archived or deleted");
}
