/** What each line that is logged counts besides its text: empty ones cost something, too. */
export const LINE_BYTES = 64;

/** What a run may tell, in bytes of UTF-8. */
export interface RunLimits {
  /** Of what the code returns, as JSON. */
  outputBytes: number;
  /** Of all that it logs, each line with {@link LINE_BYTES} more. */
  logBytes: number;
}
