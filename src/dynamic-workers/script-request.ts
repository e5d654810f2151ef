import type { RunLimits } from "./run-limits.ts";

/** What the entrypoint of a script's Dynamic Worker is given by whoever calls it. */
export interface ScriptProps {
  sessionId: string;
  /** Reaches the browser of that session, and nothing else. */
  browser: Fetcher;
}

/** The body of a request to run the script, as JSON. */
export interface ScriptRequest {
  timeoutMs: number;
  limits: RunLimits;
}
