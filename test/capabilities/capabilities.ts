import { env } from "cloudflare:workers";
import { type CheckName, recordCapability } from "../../src/capabilities/index.ts";
import type { CapabilityRow } from "../../src/database/schema/capabilities.ts";

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

export async function record(name: CheckName, details: Partial<CapabilityRow> = {}): Promise<void> {
  await recordCapability(env, newCapability(name, details));
}
