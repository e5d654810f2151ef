import { describe, expect, it } from "vitest";
import { generateAPIKey, maskAPIKey } from "../../../src/features/organizations/api-keys/api-key.ts";

describe("API keys", () => {
  it("have a scannable prefix and 256 random bits in URL-safe characters", () => {
    const keys = Array.from({ length: 500 }, generateAPIKey);
    for (const key of keys) expect(key).toMatch(/^berth_[A-Za-z0-9_-]{43}$/);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("are masked except for their beginning and end", () => {
    expect(maskAPIKey("berth_abcdefghijklmnopqrstuvwxyz")).toBe("berth_abcd…wxyz");
    expect(maskAPIKey("berth_short")).toBe("…");
  });
});
