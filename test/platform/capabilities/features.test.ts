import { describe, expect, it } from "vitest";
import { CHECKS, type CheckName } from "../../../src/platform/capabilities/checks.ts";
import { type Feature, featuresOf, findObstacle } from "../../../src/platform/capabilities/features.ts";
import { newCapability } from "./capabilities.ts";

describe("findObstacle", () => {
  it.each<[Feature, CheckName[], CheckName | undefined]>([
    ["proxy_id", [], undefined],
    ["proxy_id", ["context_proxy"], "context_proxy"],
    ["proxy_id", ["hold_frames"], "hold_frames"],
    ["proxy_id", ["hold_workers", "extensions"], undefined],
    ["stealth", ["hold_workers"], "hold_workers"],
    ["stealth", ["context_proxy"], undefined],
    ["extensions", ["extensions"], undefined],
    ["extensions", ["hold_popups"], undefined],
    ["extensions", ["extensions", "hold_popups"], "extensions"],
    ["extensions", ["extensions", "hold_frames"], "extensions"],
    ["record", ["screencast"], "screencast"],
    ["record", ["video_encoding"], "video_encoding"],
    ["profile", ["large_profile"], "large_profile"],
    ["code", ["dynamic_abort"], "dynamic_abort"],
    ["code", ["dynamic_limits", "dynamic_end"], undefined],
    ["file", ["dynamic_workers"], "dynamic_workers"],
    ["action_name", ["dynamic_end"], "dynamic_end"],
  ])("for %s, when %j differ, is %s", (feature, differing, obstacle) => {
    const rows = differing.map((name) => newCapability(name));
    const found = findObstacle(feature, rows);
    if (obstacle === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(`"${CHECKS[obstacle]}"`);
  });

  it.each(["holds", "untried"] as const)("ignores a check that %s", (outcome) => {
    expect(findObstacle("record", [newCapability("screencast", { outcome })])).toBeUndefined();
  });
});

it("describes what was seen, and when", () => {
  const rows = [newCapability("context_proxy", { seen: "ERR_PROXY_CONNECTION_FAILED" })];
  expect(findObstacle("proxy_id", rows)).toContain(
    "(seen on 2026-11-26: ERR_PROXY_CONNECTION_FAILED; `npm run probe` tries again)",
  );
});

it("names the features of a check", () => {
  expect(featuresOf("hold_popups")).toEqual(["proxy_id", "stealth", "extensions"]);
  expect(featuresOf("d1_latency")).toEqual([]);
});
