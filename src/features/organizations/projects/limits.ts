import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { ServiceError } from "../../../lib/common/errors.ts";
import type { Database } from "../../../lib/database/client.ts";
import { idOfProject, type ProjectScope } from "../../../lib/database/project-scope.ts";

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

/** @param fitsProject whether what is added is within the project's limit. */
export function limitChecks(scope: ProjectScope, fitsProject: SQL): Check[] {
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

/** The limit of a project's sessions and pools; null: none. */
export function browserLimit(scope: ProjectScope): SQL {
  return sql`(SELECT coalesce(
      (SELECT projects.max_concurrent_sessions FROM projects WHERE projects.id = ${idOfProject(scope)}),
      owner.default_project_max_concurrent_sessions)
    FROM organizations AS owner WHERE owner.id = ${scope.organizationId})`;
}

/** Null: none. */
export function invocationLimit(scope: ProjectScope): SQL {
  return sql`(SELECT projects.max_concurrent_invocations FROM projects
    WHERE projects.id = ${idOfProject(scope)})`;
}

/** The limit of sessions of an API key; null: none. */
export function keyLimit(apiKeyId: string): SQL {
  return sql`(SELECT api_keys.max_concurrent_sessions FROM api_keys WHERE api_keys.id = ${apiKeyId})`;
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
