import { describe, expect, it } from "vitest";
import { redactBody, redactHeaders, redactText, redactURL } from "../../../src/features/telemetry/redact.ts";

describe("redaction", () => {
  it.each([
    ["https://example.com/a?page=2&q=token", "https://example.com/a?page=2&q=token"],
    ["https://user:pw@example.com/", "https://[redacted]@example.com/"],
    ["https://example.com/a@b?x=c@d", "https://example.com/a@b?x=c@d"],
    ["https://e.com/?X-Amz-Signature=ab&x=1", "https://e.com/?X-Amz-Signature=[redacted]&x=1"],
    [
      "https://e.com/?x=1&access_token=ab&sig=c#top",
      "https://e.com/?x=1&access_token=[redacted]&sig=[redacted]#top",
    ],
    ["https://e.com/?API%5Fkey=ab", "https://e.com/?API%5Fkey=[redacted]"],
    ["https://e.com/?%=1&jwt=x", "https://e.com/?%=1&jwt=[redacted]"],
    ["https://e.com/cb#id_token=ab&x=1", "https://e.com/cb#id_token=[redacted]&x=1"],
    ["https://e.com/#/route?code=1&tab=2", "https://e.com/#/route?code=[redacted]&tab=2"],
    ["about:blank", "about:blank"],
    ["", ""],
  ])("of the address %s", (url, expected) => {
    expect(redactURL(url)).toBe(expected);
  });

  it("cuts addresses", () => {
    expect(redactURL(`https://e.com/${"x".repeat(5000)}`)).toHaveLength(2000);
    expect(redactURL(`data:text/html,${"x".repeat(5000)}`)).toHaveLength(100);
  });

  it("of addresses within a text", () => {
    const text = `failed: "https://u:p@e.com/?token=ab", see wss://e.com/?jwt=x and token=kept`;
    expect(redactText(text, 1000)).toBe(
      `failed: "https://[redacted]@e.com/?token=[redacted]", see wss://e.com/?jwt=[redacted] and token=kept`,
    );
    expect(redactText("x".repeat(100), 10)).toBe(`${"x".repeat(9)}…`);
  });

  it("of headers", () => {
    const secret = Object.fromEntries(
      ["Authorization", "proxy-authorization", "Cookie", "set-cookie", "X-Api-Key", "x-csrf-token"].map(
        (name) => [name, "abc"],
      ),
    );
    const headers = { ...secret, accept: "text/html", referer: "https://e.com/?sig=ab" };
    expect(redactHeaders(headers)).toEqual({
      ...Object.fromEntries(Object.keys(secret).map((name) => [name, "[redacted]"])),
      accept: "text/html",
      referer: "https://e.com/?sig=[redacted]",
    });
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`h${index}`, "x"]));
    expect(Object.keys(redactHeaders(many))).toHaveLength(100);
  });

  it.each([
    ["user=ada&password=pw&x=1", "user=ada&password=[redacted]&x=1"],
    [
      '{"user":"ada","passWord" : "a\\"b","x":{"accessToken":12}}',
      '{"user":"ada","passWord" : "[redacted]","x":{"accessToken":"[redacted]"}}',
    ],
    ['{"password":"cut of', '{"password":"[redacted]"'],
    ["plain text", "plain text"],
  ])("of the body %s", (body, expected) => {
    expect(redactBody(body, 1000)).toBe(expected);
  });
});
