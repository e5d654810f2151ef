/** What each line that is logged counts besides its text: empty ones cost something, too. */
export const LINE_BYTES = 64;

/** What a run may tell, in bytes of UTF-8. */
export interface RunLimits {
  /** Of what the code returns, as JSON. */
  outputBytes: number;
  /** Of all that it logs, each line with {@link LINE_BYTES} more. */
  logBytes: number;
}

/** Characters of a line; what is longer is cut. */
export const MAX_LINE_LENGTH = 64 * 1024;

/** Characters of the name and of the message of what is thrown, and of its stack. */
export const MAX_MESSAGE_LENGTH = 10_000;
export const MAX_STACK_LENGTH = 50_000;

/** A text, or the first `longest` characters of it with a sign that there were more. */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
