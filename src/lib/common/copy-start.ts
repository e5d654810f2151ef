/** The beginning of a text. A slice would keep the whole text in memory. */
export function copyStart(text: string, maxLength: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text.slice(0, maxLength)));
}
