/** A pattern for `LIKE … ESCAPE '\'` that finds texts holding `text`, whose own wildcards are plain characters. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
