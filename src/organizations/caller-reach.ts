export interface CallerReach {
  organizationId: string;
  /** Limits a run to its invocation's sessions; null: no limit. */
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
