import type { Action } from "./actions.ts";

/** What a model is shown before each step. */
export interface Observation {
  /** What it is to do, in words. */
  task: string;
  /** The browser's screen now, as a PNG. */
  screenshot: Uint8Array;
  /** What it has done so far, the first step first. */
  history: readonly Action[];
}

/** Whatever decides what to do next: put a real model behind this. */
export interface Model {
  nextAction(observation: Observation, options: { signal: AbortSignal }): Promise<Action>;
}
