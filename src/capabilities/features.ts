import type { CapabilityRow } from "../database/schema/capabilities.ts";
import { CHECKS, type CheckName, isCheck } from "./checks.ts";

/** What may be refused, by the field that asks for it. */
export type Feature =
  | "proxy_id"
  | "stealth"
  | "extensions"
  | "record"
  | "profile"
  | "code"
  | "file"
  | "action_name";

/** Of each list, one check must hold: content scripts also run in a browser that loads no extensions. */
const NEEDS = new Map<Feature, CheckName[][]>([
  ["proxy_id", [["context_proxy"], ["hold_popups"], ["hold_frames"]]],
  ["stealth", [["hold_popups"], ["hold_frames"], ["hold_workers"]]],
  [
    "extensions",
    [
      ["extensions", "hold_popups"],
      ["extensions", "hold_frames"],
    ],
  ],
  ["record", [["screencast"], ["video_encoding"]]],
  ["profile", [["large_profile"]]],
  ["code", [["dynamic_workers"], ["dynamic_abort"]]],
  ["file", [["dynamic_workers"], ["dynamic_end"]]],
  ["action_name", [["dynamic_workers"], ["dynamic_end"]]],
]);

/** @returns the features that may be refused because of a check. */
export function featuresOf(name: string): Feature[] {
  return [...NEEDS]
    .filter(([, needs]) => needs.flat().some((need) => need === name))
    .map(([feature]) => feature);
}

/** Checks without a result, and those that could not be tried, count as able. */
export function findObstacle(feature: Feature, rows: readonly CapabilityRow[]): CapabilityRow | undefined {
  const failed = new Map(rows.filter(({ outcome }) => outcome === "differs").map((row) => [row.name, row]));
  const unmet = NEEDS.get(feature)?.find((alternatives) => alternatives.every((name) => failed.has(name)));
  return unmet?.[0] && failed.get(unmet[0]);
}

/** @example "it needs what this platform does not do: \"A browser encodes video\" (seen on 2026-11-26: …)" */
export function describeObstacle({ name, seen, measuredAt }: CapabilityRow): string {
  const title = isCheck(name) ? CHECKS[name] : name;
  const day = new Date(measuredAt).toISOString().slice(0, 10);
  return `it needs what this platform does not do: "${title}" (seen on ${day}: ${seen}; \`npm run probe\` tries again)`;
}
