import { type SQL, sql } from "drizzle-orm";
import { ServiceError } from "../../common/errors.ts";
import type { Database } from "../../database/client.ts";
import type { ProjectScope } from "../../database/project-scope.ts";
import type { BrowserSessionRow } from "../../database/schema/browser-sessions.ts";
import { idOfProject } from "./store.ts";

const RETRY_AFTER_SECONDS = 10;

/** Whether resources may be added to a project. The default project cannot be archived or deleted. */
export function isOpenProject({ organizationId, projectId }: ProjectScope): SQL {
  if (projectId === "") return sql`TRUE`;
  return sql`EXISTS (SELECT 1 FROM projects WHERE projects.id = ${projectId}
    AND projects.organization_id = ${organizationId} AND projects.status = 'active' AND projects.deleted_at IS NULL)`;
}

/**
 * Whether a project may have more browsers: sessions, and the sizes of its pools.
 *
 * @param exceptPoolId a pool that is not counted, because its size changes.
 */
export function fitsProjectLimit(scope: ProjectScope, browsers: number, exceptPoolId = ""): SQL {
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

/** Whether a project may have one more unfinished invocation. */
export function fitsInvocationLimit(scope: ProjectScope): SQL {
  const unfinished = sql`(SELECT count(*) FROM invocations AS counted
    WHERE counted.organization_id = ${scope.organizationId} AND counted.project_id = ${scope.projectId}
      AND counted.status IN ('queued', 'running'))`;
  return sql`coalesce(${unfinished} < (SELECT projects.max_concurrent_invocations FROM projects
    WHERE projects.id = ${idOfProject(scope)}), TRUE)`;
}

/** Whether an API key may have one more session, also of a pool. */
export function fitsKeyLimit(apiKeyId: string | null): SQL {
  if (apiKeyId === null) return sql`TRUE`;
  const living = sql`(SELECT count(*) FROM browser_sessions AS counted
    WHERE counted.api_key_id = ${apiKeyId} AND counted.api_key_id IS NOT NULL AND counted.state <> 'ended')`;
  return sql`coalesce(${living} < (SELECT api_keys.max_concurrent_sessions FROM api_keys
    WHERE api_keys.id = ${apiKeyId}), TRUE)`;
}

/** Whether the project and the key of a new session allow it. */
export function mayStart(row: Pick<BrowserSessionRow, keyof ProjectScope | "apiKeyId">): SQL {
  return sql`${isOpenProject(row)} AND ${fitsProjectLimit(row, 1)} AND ${fitsKeyLimit(row.apiKeyId)}`;
}

interface Checks {
  isOpen: SQL;
  fitsProject?: SQL;
  fitsKey?: SQL;
}

/**
 * Explains why a statement with these conditions changed nothing.
 *
 * @throws ServiceError 404 for a project that is archived or deleted, 429 at a limit of the project or the key.
 */
export async function explainRefusal(database: Database, checks: Checks): Promise<void> {
  const { isOpen, fitsProject = sql`TRUE`, fitsKey = sql`TRUE` } = checks;
  const [found] = await database.all<{ isOpen: number; fitsProject: number; fitsKey: number }>(
    sql`SELECT ${isOpen} AS isOpen, ${fitsProject} AS fitsProject, ${fitsKey} AS fitsKey`,
  );
  if (found?.isOpen === 0) throw projectNotFound();
  if (found?.fitsProject === 0) throw limitReached("project");
  if (found?.fitsKey === 0) throw limitReached("API key");
}

export function limitReached(whose: "project" | "API key"): ServiceError {
  return new ServiceError(
    "too_many_requests",
    `The ${whose} has reached its limit; end a session or invocation, or wait`,
    { shouldRetry: false, retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

export function projectNotFound(): ServiceError {
  return new ServiceError("project_not_found", "project not found: it is unknown, archived or deleted");
}
