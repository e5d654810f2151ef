import type { CapabilityRow } from "../database/schema/capabilities.ts";
import { CHECKS, type CheckName } from "./checks.ts";

/**
 * The checks that each feature needs, by the field that asks for it. Of each list, one must hold: content scripts of
 * extensions run in a browser that does not load them.
 */
export const FEATURES = {
  proxy_id: [["context_proxy"], ["hold_popups"], ["hold_frames"]],
  stealth: [["hold_popups"], ["hold_frames"], ["hold_workers"]],
  extensions: [
    ["extensions", "hold_popups"],
    ["extensions", "hold_frames"],
  ],
  record: [["screencast"], ["video_encoding"]],
  profile: [["large_profile"]],
  code: [["dynamic_workers"], ["dynamic_abort"]],
  file: [["dynamic_workers"], ["dynamic_end"]],
  action_name: [["dynamic_workers"], ["dynamic_end"]],
} as const satisfies Record<string, CheckName[][]>;

export type Feature = keyof typeof FEATURES;

/** Checks without a result, and those that could not be tried, count as able. */
export function findObstacle(feature: Feature, rows: readonly CapabilityRow[]): CapabilityRow | undefined {
  const failed = new Map(rows.filter(({ outcome }) => outcome === "differs").map((row) => [row.name, row]));
  const needs: readonly (readonly CheckName[])[] = FEATURES[feature];
  const unmet = needs.find((alternatives) => alternatives.every((name) => failed.has(name)));
  return unmet?.[0] && failed.get(unmet[0]);
}

/** @returns the features whose use the row's outcome contributes to refusing. */
export function featuresOf(name: CheckName): Feature[] {
  return Object.entries(FEATURES).flatMap(([feature, needs]) =>
    needs.flat().some((needed) => needed === name) && isFeature(feature) ? feature : [],
  );
}

function isFeature(name: string): name is Feature {
  return name in FEATURES;
}

/** @example "it needs what this platform does not do: \"A browser encodes video\" (seen on 2026-11-26: …)" */
export function describeObstacle({ name, seen, measuredAt }: CapabilityRow): string {
  const [, title = name] = Object.entries(CHECKS).find(([check]) => check === name) ?? [];
  const day = new Date(measuredAt).toISOString().slice(0, 10);
  return `it needs what this platform does not do: "${title}" (seen on ${day}: ${seen}; \`npm run probe\` tries again)`;
}
