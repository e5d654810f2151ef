/** Parses a CSV without quotes. Skips empty lines. */
export function parseCSV(text: string): string[][] {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) => line.split(",").map((field) => field.trim()));
}
