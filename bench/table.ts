import type { Pair } from "./samples.ts";

export interface Row extends Pair {
  figure: string;
  /** What Berth is compared with. */
  baseline: string;
  /** The highest acceptable ratio of the medians, such as "2x", or Berth's median, such as "15 ms". */
  target?: string;
}

const COLUMNS = ["figure", "p50", "p99", "baseline", "p50", "p99", "ratio p50", "target"];

/** Formats a Markdown table with times in milliseconds. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map(({ figure, berth, baseline, direct, target }) => [
    figure,
    milliseconds(berth.p50),
    milliseconds(berth.p99),
    baseline,
    milliseconds(direct.p50),
    milliseconds(direct.p99),
    `${(berth.p50 / direct.p50).toFixed(2)}x`,
    target ?? "",
  ]);
  const lines = [COLUMNS, COLUMNS.map(() => "---"), ...cells];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`)
    .join("\n");
}

function milliseconds(time: number): string {
  return time < 10 ? time.toFixed(2) : time.toFixed(0);
}
