import { table } from "../../scripts/docs/api-pages.ts";
import type { Finding } from "./finding.ts";

export interface Column {
  title: string;
  findings: readonly Finding[];
}

/** Makes a Markdown table of all verdicts and requests, and each check that detected a bot in any column. */
export function formatFindings(columns: readonly Column[]): string {
  const checks = new Map<string, Finding>();
  for (const { findings } of columns) {
    for (const finding of findings) checks.set(checkName(finding), finding);
  }
  const isDetected = ({ findings }: Column, name: string) =>
    findings.some((finding) => finding.detected && checkName(finding) === name);
  const shown = [...checks].filter(
    ([name, { detector, check }]) =>
      detector === "site" ||
      check.startsWith("verdict") ||
      columns.some((column) => isDetected(column, name)),
  );
  const rows = shown.map(([name, { detector, check }]) => [
    detector,
    check,
    ...columns.map((column) => (isDetected(column, name) ? "detected" : "")),
  ]);
  const hidden = `${checks.size - shown.length} other checks`;
  return table(
    ["detector", "check", ...columns.map(({ title }) => title)],
    [...rows, ["both", hidden, ...columns.map(() => "")]],
  );
}

function checkName({ detector, check }: Finding): string {
  return `${detector} ${check}`;
}
