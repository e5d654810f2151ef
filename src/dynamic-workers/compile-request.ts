/** How long the compiler may take for a script; what watches it is built into it. */
export const COMPILE_LIMIT_MS = 2000;

/** The body of a request to the Dynamic Worker that compiles scripts, as JSON. */
export interface CompileRequest {
  code: string;
  /** How long the script may run without letting anything else go on; 0: nothing watches. */
  loopGuardMs: number;
}
