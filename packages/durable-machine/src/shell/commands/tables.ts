/**
 * Lines of aligned columns.
 *
 * @param alignment for each column `<` or `>`. The last one is not filled up.
 * @param widths what columns take at least, in characters.
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  alignment: string,
  widths: readonly number[] = [],
): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const width = Array.from({ length: columns }, (_, column) =>
    Math.max(widths[column] ?? 0, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => {
        const size = width[column] ?? 0;
        if (alignment[column] === ">") return cell.padStart(size);
        return column === columns - 1 ? cell : cell.padEnd(size);
      });
      return `${cells.join(" ")}\n`;
    })
    .join("");
}
