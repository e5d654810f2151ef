import { env } from "cloudflare:workers";
import type { CapabilityRow } from "../../../src/lib/database/schema/capabilities.ts";
import { type CheckName, recordCapability } from "../../../src/platform/capabilities/index.ts";

export function newCapability(name: CheckName, details: Partial<CapabilityRow> = {}): CapabilityRow {
  return {
    name,
    outcome: "differs",
    seen: "refused by a test",
    details: {},
    measuredAt: Date.UTC(2026, 10, 26),
    durationMs: 1,
    cost: {},
    ...details,
  };
}

const recorded = new Set<CheckName>();

/** Makes the recorded checks hold again. */
export async function restoreCapabilities(): Promise<void> {
  for (const name of recorded) await recordCapability(env, newCapability(name, { outcome: "holds" }));
  recorded.clear();
}

export async function record(name: CheckName, details: Partial<CapabilityRow> = {}): Promise<void> {
  recorded.add(name);
  await recordCapability(env, newCapability(name, details));
}
