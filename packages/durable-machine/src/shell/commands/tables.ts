/** @param alignment `<` or `>` for each column. @param minWidths in characters. */
export function formatTable(
  rows: readonly (readonly string[])[],
  alignment: string,
  minWidths: readonly number[] = [],
): string {
  const widths = [...minWidths];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const formatCell = (cell: string, column: number, { length }: readonly string[]) => {
    if (alignment[column] === ">") return cell.padStart(widths[column] ?? 0);
    return column === length - 1 ? cell : cell.padEnd(widths[column] ?? 0);
  };
  return rows.map((row) => `${row.map(formatCell).join(" ")}\n`).join("");
}
