import type { ProjectScope } from "../../lib/database/project-scope.ts";

export interface CallerReach extends ProjectScope {
  /** Limits a run to its invocation's sessions; null: no limit. */
  invocationId: string | null;
}

export function isWithinReach(
  session: CallerReach,
  { organizationId, projectId, invocationId }: CallerReach,
): boolean {
  return (
    session.organizationId === organizationId &&
    session.projectId === projectId &&
    (invocationId === null || session.invocationId === invocationId)
  );
}
