import type { InvocationRow, InvocationStatus } from "../../database/schema/apps.ts";

/** What an invocation's object keeps. The index follows the row. */
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
