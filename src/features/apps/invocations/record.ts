import type { InvocationRow, InvocationStatus } from "../../../lib/database/schema/apps.ts";

/** What an invocation's object stores. The row in the index follows it. */
export interface InvocationRecord {
  row: InvocationRow;
  /** Encrypted; null: there are none. */
  envVars: string | null;
  /** The origin at which the action reaches this service. */
  origin: string;
  isAwaited: boolean;
  timeoutMs: number;
}

export interface StateChange {
  status: InvocationStatus;
}
