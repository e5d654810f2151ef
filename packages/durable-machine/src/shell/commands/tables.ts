/**
 * Lines of aligned columns.
 *
 * @param alignment for each column `<` or `>`. The last one is not filled up.
 * @param leastWidths what columns take at least, in characters.
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  alignment: string,
  leastWidths: readonly number[] = [],
): string {
  const widths = [...leastWidths];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const formatRow = (row: readonly string[]) =>
    row.map((cell, column) => {
      if (alignment[column] === ">") return cell.padStart(widths[column] ?? 0);
      return column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0);
    });
  return rows.map((row) => `${formatRow(row).join(" ")}\n`).join("");
}
