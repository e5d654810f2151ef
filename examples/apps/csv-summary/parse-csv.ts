/** The rows of a CSV without quotes; empty lines are left out. */
export function parseCSV(text: string): string[][] {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) => line.split(",").map((field) => field.trim()));
}
