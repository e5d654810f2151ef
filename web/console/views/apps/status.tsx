import type { Schemas } from "../../api/client.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";

/** In the order in which they follow each other. The last two are final. */
export type Statuses = readonly (readonly [value: string, label: string, tone: Tone])[];

export const DEPLOYMENT_STATUSES = [
  ["queued", "Queued", "neutral"],
  ["in_progress", "In progress", "info"],
  ["running", "Running", "good"],
  ["failed", "Failed", "bad"],
  ["stopped", "Stopped", "neutral"],
] as const satisfies readonly (readonly [Schemas["Deployment"]["status"], string, Tone])[];

export const INVOCATION_STATUSES = [
  ["queued", "Queued", "neutral"],
  ["running", "Running", "info"],
  ["succeeded", "Succeeded", "good"],
  ["failed", "Failed", "bad"],
] as const satisfies readonly (readonly [Schemas["Invocation"]["status"], string, Tone])[];

interface StatusProps {
  status: string;
  status_reason?: string;
}

/** The reason is shown on hover. */
export function StatusBadge({ status, status_reason, of }: StatusProps & { of: Statuses }) {
  const [, label, tone] = of[rankOf(status, of)] ?? ["", status, "neutral"];
  return (
    <span title={status_reason}>
      <Badge tone={tone}>{label}</Badge>
    </span>
  );
}

/** Why something has its status. Screen readers read a failure when it happens. */
export function Reason({ status, status_reason }: StatusProps) {
  if (status_reason === undefined) return null;
  const isBad = status === "failed";
  return (
    <pre class={isBad ? "reason problem" : "reason"} role={isBad ? "alert" : undefined}>
      {status_reason}
    </pre>
  );
}

export function isFinal(status: string, of: Statuses): boolean {
  return rankOf(status, of) >= of.length - 2;
}

/** A later status has a higher one. */
export function rankOf(status: string, of: Statuses): number {
  return of.findIndex(([value]) => value === status);
}
