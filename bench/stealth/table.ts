import type { Finding } from "./finding.ts";

/** What one kind of visit has found. */
export interface Column {
  title: string;
  findings: readonly Finding[];
}

/** One Markdown table: a row for each verdict and request, and for each check that tells in any column. */
export function formatFindings(columns: readonly Column[]): string {
  const checks = new Map<string, Finding>();
  for (const { findings } of columns) {
    for (const finding of findings) checks.set(baseName(finding), finding);
  }
  const tells = ({ findings }: Column, name: string) =>
    findings.some((finding) => finding.tells && baseName(finding) === name);
  const shown = [...checks].filter(
    ([name, { detector, check }]) =>
      detector === "site" || check.startsWith("verdict") || columns.some((column) => tells(column, name)),
  );
  const rows = shown.map(([name, { detector, check }]) => [
    detector,
    check,
    ...columns.map((column) => (tells(column, name) ? "tells" : "")),
  ]);
  const quiet = `${checks.size - shown.length} other checks`;
  return [
    ["detector", "check", ...columns.map(({ title }) => title)],
    ["---", "---", ...columns.map(() => "---")],
    ...rows,
    ["both", quiet, ...columns.map(() => "")],
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function baseName({ detector, check }: Finding): string {
  return `${detector} ${check}`;
}
