import { describe, expect, it } from "vitest";
import { readTypedAddress } from "../../../src/features/computer/typed-address.ts";

const search = (text: string) => `https://www.google.com/search?q=${text}`;

describe("readTypedAddress", () => {
  it.each([
    ["", "about:blank"],
    ["   ", "about:blank"],
    ["https://example.com/a?b#c", "https://example.com/a?b#c"],
    ["http://example.com", "http://example.com/"],
    ["HTTP://EXAMPLE.COM/A", "http://example.com/A"],
    ["about:blank", "about:blank"],
    ["data:text/html,x", "data:text/html,x"],
    ["example.com", "https://example.com"],
    ["  example.com  ", "https://example.com"],
    ["example.com/path?q=1#top", "https://example.com/path?q=1#top"],
    ["example.com?q", "https://example.com?q"],
    ["example.com:8443/x", "https://example.com:8443/x"],
    ["münchen.de", "https://münchen.de"],
    ["localhost", "http://localhost"],
    ["localhost:3000/x", "http://localhost:3000/x"],
    ["127.0.0.1:80", "http://127.0.0.1:80"],
    ["10.0.0.5", "http://10.0.0.5"],
    ["192.168.1.1/admin", "http://192.168.1.1/admin"],
    ["[::1]:8080", "http://[::1]:8080"],
    ["8.8.8.8", "https://8.8.8.8"],
  ])("reads %j as the address %s", (typed, address) => {
    expect(readTypedAddress(typed)).toBe(address);
  });

  it.each([
    ["weather", search("weather")],
    ["two words", search("two%20words")],
    ["what is example.com", search("what%20is%20example.com")],
    ["a&b=c#d", search("a%26b%3Dc%23d")],
    ["javascript:alert(1)", search("javascript%3Aalert(1)")],
    ["file:///etc/passwd", search("file%3A%2F%2F%2Fetc%2Fpasswd")],
    ["chrome://settings", search("chrome%3A%2F%2Fsettings")],
    ["日本", search("%E6%97%A5%E6%9C%AC")],
  ])("searches for %j", (typed, address) => {
    expect(readTypedAddress(typed)).toBe(address);
  });
});
