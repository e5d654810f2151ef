/** The part of an organization that a caller reaches. */
export interface CallerReach {
  organizationId: string;
  /** The invocation whose sessions alone are within reach; null: all of the organization's are. */
  invocationId: string | null;
}

/** Whether a session, or what belongs to one, is within a caller's reach. */
export function isWithinReach(
  session: { organizationId: string; invocationId: string | null },
  { organizationId, invocationId }: CallerReach,
): boolean {
  return (
    session.organizationId === organizationId &&
    (invocationId === null || session.invocationId === invocationId)
  );
}
