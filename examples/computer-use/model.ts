import type { Action } from "./actions.ts";

export interface Observation {
  task: string;
  /** PNG of the browser. */
  screenshot: Uint8Array;
  /** Previous actions, oldest first. */
  history: readonly Action[];
}

export interface Model {
  nextAction(observation: Observation, options: { signal: AbortSignal }): Promise<Action>;
}
