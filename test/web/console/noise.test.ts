import { describe, expect, it } from "vitest";
import { isNoise } from "../../../web/console/views/session/noise.ts";

describe("isNoise", () => {
  it.each([
    ["data:image/png;base64,AAAA", 200, true],
    ["data:text/html,hello", undefined, true],
    ["https://example.com/favicon.ico", 404, true],
    ["https://example.com/shop/favicon.ico?v=2", 404, true],
    ["https://example.com/favicon.ico", 200, false],
    ["https://example.com/favicon.ico", 500, false],
    ["https://example.com/favicon.ico", undefined, false],
    ["https://example.com/favicon.icon", 404, false],
    ["https://example.com/missing", 404, false],
    ["https://example.com/?next=data:text/html", 200, false],
  ])("of %s with the status %s is %s", (url, status, expected) => {
    expect(isNoise({ url, status })).toBe(expected);
  });
});
