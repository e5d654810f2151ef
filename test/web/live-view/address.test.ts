import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../web/live-view/address.ts";

describe("parseAddress", () => {
  it.each([
    ["https://example.com/a?b=c#d", "https://example.com/a?b=c#d"],
    ["HTTP://Example.com", "http://example.com/"],
    ["  example.com ", "https://example.com/"],
    ["example.com/a b", "https://example.com/a%20b"],
    ["example.com:8443/x", "https://example.com:8443/x"],
    ["bücher.example", "https://xn--bcher-kva.example/"],
    ["localhost", "http://localhost/"],
    ["localhost:3000", "http://localhost:3000/"],
    ["app.localhost:3000/x", "http://app.localhost:3000/x"],
    ["127.0.0.1:8787", "http://127.0.0.1:8787/"],
    ["[::1]:8080", "http://[::1]:8080/"],
    ["http://intranet", "http://intranet/"],
    ["about:blank", "about:blank"],
    ["About:Blank", "about:blank"],
  ])("opens %j as %j", (text, url) => {
    expect(parseAddress(text)).toEqual({ url });
  });

  it.each([
    ["javascript:alert(1)", "javascript:"],
    ["JavaScript:alert(1)", "javascript:"],
    ["data:text/html,<b>x</b>", "data:"],
    ["file:///etc/passwd", "file:"],
    ["chrome://settings", "chrome:"],
    ["view-source:https://example.com", "view-source:"],
    ["about:config", "about:"],
    ["mailto:a@example.com", "mailto:"],
  ])("rejects %j, naming its scheme", (text, scheme) => {
    expect(parseAddress(text)).toEqual({ refusal: expect.stringContaining(scheme) });
  });

  it.each([
    "weather",
    "weather tomorrow",
    "what is example.com",
    "intranet:8080",
    "a.",
    ".com",
    "//example.com",
  ])("rejects %j as not an address", (text) => {
    expect(parseAddress(text)).toEqual({ refusal: expect.stringContaining("not an address") });
  });

  it.each(["https://", "http://:80", "https://exa mple.com"])("rejects %j as incomplete", (text) => {
    expect(parseAddress(text)).toEqual({ refusal: expect.stringContaining("incomplete") });
  });

  it("rejects empty and overlong input", () => {
    expect(parseAddress("  ")).toEqual({ refusal: expect.stringContaining("Type an address") });
    const longest = `https://example.com/${"a".repeat(10_000 - 20)}`;
    expect(parseAddress(longest)).toEqual({ url: longest });
    expect(parseAddress(`${longest}a`)).toEqual({ refusal: expect.stringContaining("too long") });
  });
});
