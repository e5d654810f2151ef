/** @param text at most `maxLength` UTF-16 code units of it are kept. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
