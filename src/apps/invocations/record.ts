import type { InvocationRow, InvocationState } from "../../database/schema/apps.ts";

/** What an invocation's object keeps. The index follows the row. */
export interface InvocationRecord {
  row: InvocationRow;
  /** The environment variables of its deployment, encrypted; null: there are none. */
  envVars: string | null;
  /** The origin at which the action reaches this service. */
  origin: string;
  /** Whether the caller waits for the end. */
  isAwaited: boolean;
  /** How long the action may run. */
  timeoutMs: number;
}

/** An event in an invocation's journal. */
export interface StateChange {
  status: InvocationState;
}
