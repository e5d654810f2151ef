import { allows, type NetworkAccess, parseNetworkAccess } from "network-rules";
import { describe, expect, it } from "vitest";

function accessOf(setting: string): NetworkAccess {
  const result = parseNetworkAccess(setting);
  if ("problem" in result) throw new Error(result.problem);
  return result.access;
}

describe("parseNetworkAccess", () => {
  it.each([
    ["off", "none"],
    ["on", "all"],
    [" on ", "all"],
    ["example.com", [{ host: "example.com", subdomains: false }]],
    ["EXAMPLE.com.", [{ host: "example.com", subdomains: false }]],
    ["*.example.com", [{ host: "example.com", subdomains: true }]],
    ["example.com:8080", [{ host: "example.com", subdomains: false, port: 8080 }]],
    ["*.example.com:80", [{ host: "example.com", subdomains: true, port: 80 }]],
    ["bücher.example", [{ host: "xn--bcher-kva.example", subdomains: false }]],
    ["192.0.2.1", [{ host: "192.0.2.1", subdomains: false }]],
    ["[2001:DB8:0::1]:443", [{ host: "[2001:db8::1]", subdomains: false, port: 443 }]],
    ["localhost", [{ host: "localhost", subdomains: false }]],
    [
      "a.example, b.example:1 ,*.c.example",
      [
        { host: "a.example", subdomains: false },
        { host: "b.example", subdomains: false, port: 1 },
        { host: "c.example", subdomains: true },
      ],
    ],
  ])("parses %j", (setting, access) => {
    expect(parseNetworkAccess(setting)).toEqual({ access });
  });

  it.each([
    "",
    ",",
    "a.example,",
    "a.example,,b.example",
    "*",
    "*.",
    "*example.com",
    "a.*.example",
    "*.*.example",
    "https://example.com",
    "example.com/path",
    "example.com?x",
    "example.com#x",
    "user@example.com",
    "example.com:",
    "example.com:0",
    "example.com:65536",
    "example.com:http",
    "exa mple.com",
    "a.example b.example",
    "2001:db8::1",
    "[2001:db8::1",
    "[::g]",
    "256.1.1.1",
    "example%2ecom",
  ])("rejects %j", (setting) => {
    expect(parseNetworkAccess(setting)).toEqual({
      problem: expect.stringMatching(/^must be "off", "on", or/),
    });
  });

  it("names the invalid entry", () => {
    expect(parseNetworkAccess("a.example, b/c")).toEqual({
      problem: expect.stringContaining('"b/c" is not a host'),
    });
  });
});

describe("allows", () => {
  it.each([
    ["off", "https://example.com/", false],
    ["on", "https://example.com/", true],
    ["on", "http://127.0.0.1:1/", true],
    ["example.com", "https://example.com/", true],
    ["example.com", "http://EXAMPLE.com.:8080/x", true],
    ["example.com", "https://www.example.com/", false],
    ["example.com", "https://example.com.evil.test/", false],
    ["example.com", "https://notexample.com/", false],
    ["example.com", "https://example.com@evil.test/", false],
    ["*.example.com", "https://www.example.com/", true],
    ["*.example.com", "https://a.b.example.com/", true],
    ["*.example.com", "https://example.com/", false],
    ["*.example.com", "https://notexample.com/", false],
    ["example.com:8080", "http://example.com:8080/", true],
    ["example.com:8080", "http://example.com/", false],
    ["example.com:80", "http://example.com/", true],
    ["example.com:80", "https://example.com/", false],
    ["example.com:443", "https://example.com/", true],
    ["bücher.example", "http://xn--bcher-kva.example/", true],
    ["127.0.0.1", "http://2130706433/", true],
    ["127.0.0.1", "http://127.0.0.2/", false],
    ["*.0.0.1", "http://127.0.0.1/", false],
    ["[::1]:81", "http://[0:0::1]:81/", true],
    ["a.example,b.example", "http://b.example/", true],
  ])("with %j, %s: %s", (setting, url, allowed) => {
    expect(allows(accessOf(setting), new URL(url))).toBe(allowed);
  });
});
