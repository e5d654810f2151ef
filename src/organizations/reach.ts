export interface CallerReach {
  organizationId: string;
  /** A run may access its invocation's sessions only; null: all sessions of the organization. */
  invocationId: string | null;
}

export function isWithinReach(
  session: { organizationId: string; invocationId: string | null },
  { organizationId, invocationId }: CallerReach,
): boolean {
  return (
    session.organizationId === organizationId &&
    (invocationId === null || session.invocationId === invocationId)
  );
}
