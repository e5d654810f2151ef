import type { RunLimits } from "./run-limits.ts";

export interface ScriptProps {
  sessionId: string;
  browser: Fetcher;
}

export interface ScriptRequest {
  timeoutMs: number;
  limits: RunLimits;
}
