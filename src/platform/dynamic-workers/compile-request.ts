/** Per script. `scripts/build-assets.ts` builds the limit into the compiler. */
export const COMPILE_LIMIT_MS = 1000;

export interface CompileRequest {
  code: string;
  /** How long the script may block the event loop; 0 for no limit. */
  loopGuardMs: number;
}
