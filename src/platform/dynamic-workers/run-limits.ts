/** The cost of each logged line beside its text. */
export const LINE_BYTES = 64;

/** In bytes of UTF-8. */
export interface RunLimits {
  outputBytes: number;
  /** Of all logged lines, each with {@link LINE_BYTES} more. */
  logBytes: number;
}

export const MAX_LINE_LENGTH = 64 * 1024;

export const MAX_MESSAGE_LENGTH = 10_000;
export const MAX_STACK_LENGTH = 50_000;

/** @example truncate("abc", 2) // "ab…" */
export function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
