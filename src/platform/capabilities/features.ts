import type { CapabilityRow } from "../../lib/database/schema/capabilities.ts";
import { CHECKS, type CheckName } from "./checks.ts";

const APPS: CheckName[][] = [["dynamic_workers"], ["dynamic_end"]];

/** What a field needs: one check of each list, as content scripts also run where extensions do not load. */
const NEEDS = {
  proxy_id: [["context_proxy"], ["hold_popups"], ["hold_frames"]],
  stealth: [["hold_popups"], ["hold_frames"], ["hold_workers"]],
  extensions: [
    ["extensions", "hold_popups"],
    ["extensions", "hold_frames"],
  ],
  record: [["screencast"], ["video_encoding"]],
  profile: [["large_profile"]],
  code: [["dynamic_workers"], ["dynamic_abort"]],
  file: APPS,
  action_name: APPS,
} satisfies Record<string, CheckName[][]>;

export type Feature = keyof typeof NEEDS;

/** @returns the features that may be refused because of a check. */
export function featuresOf(name: CheckName): string[] {
  const needing = Object.entries(NEEDS).filter(([, needs]) => needs.flat().some((need) => need === name));
  return needing.map(([feature]) => feature);
}

/**
 * Checks without a result, and those that could not be tried, count as supported.
 *
 * @returns why a feature is refused, such as "it needs what this platform does not do: \"A browser encodes
 * video\" (seen on 2026-11-26: …)"
 */
export function findObstacle(feature: Feature, rows: readonly CapabilityRow[]): string | undefined {
  const failed = new Map(rows.filter(({ outcome }) => outcome === "differs").map((row) => [row.name, row]));
  const needs: CheckName[][] = NEEDS[feature];
  const [name] = needs.find((alternatives) => alternatives.every((check) => failed.has(check))) ?? [];
  const row = name && failed.get(name);
  if (!row) return undefined;
  const day = new Date(row.measuredAt).toISOString().slice(0, 10);
  return `it needs what this platform does not do: "${CHECKS[name]}" (seen on ${day}: ${row.seen}; \`npm run probe\` tries again)`;
}
