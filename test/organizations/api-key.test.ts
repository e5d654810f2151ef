import { describe, expect, it } from "vitest";
import { generateAPIKey, maskAPIKey } from "../../src/organizations/api-key.ts";

describe("API keys", () => {
  it("carry a prefix that scanners find and 256 random bits that fit a header and a URL", () => {
    const keys = Array.from({ length: 500 }, generateAPIKey);
    for (const key of keys) expect(key).toMatch(/^berth_[A-Za-z0-9_-]{43}$/);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("are shown by their beginning and end only", () => {
    expect(maskAPIKey("berth_abcdefghijklmnopqrstuvwxyz")).toBe("berth_abcd…wxyz");
    expect(maskAPIKey("berth_short")).toBe("…");
  });
});
