import { describe, expect, it } from "vitest";
import { connectSnippets, maskToken } from "../../../web/console/views/sessions/snippets.ts";

const SESSION = {
  session_id: "o4h8w2k6m1n5p9r3s7t2qd0b",
  cdp_ws_url: "wss://berth.example.com/cdp/o4h8w2k6m1n5p9r3s7t2qd0b?jwt=aB_1.c-D2.eF3",
  webdriver_ws_url: "wss://berth.example.com/webdriver/o4h8w2k6m1n5p9r3s7t2qd0b?jwt=gH_4.i-J5.kL6",
};

describe("connectSnippets", () => {
  const codes = Object.fromEntries(connectSnippets(SESSION).map(({ id, code }) => [id, code]));

  it.each([
    ["playwright", SESSION.cdp_ws_url],
    ["puppeteer", SESSION.cdp_ws_url],
    ["selenium", SESSION.webdriver_ws_url],
    ["mcp", SESSION.cdp_ws_url],
    ["curl", "https://berth.example.com/cdp/o4h8w2k6m1n5p9r3s7t2qd0b/json/list?jwt=aB_1.c-D2.eF3"],
    ["curl", "https://berth.example.com/browsers/o4h8w2k6m1n5p9r3s7t2qd0b/computer/screenshot"],
  ])("has the session's own URL for %s", (id, url) => {
    expect(codes[id]).toContain(url);
  });

  it.each(Object.entries(codes))("hides all tokens of %s on the screen", (_id, code) => {
    const masked = maskToken(code);
    expect(masked).toContain("jwt=…");
    expect(masked).not.toMatch(/aB_1|c-D2|eF3|gH_4|kL6/);
    expect(masked.replaceAll("…", "").length).toBeLessThan(code.length);
  });

  it("configures MCP clients with JSON", () => {
    expect(JSON.parse(codes.mcp ?? "")).toMatchObject({ mcpServers: { berth: { command: "npx" } } });
  });
});

describe("maskToken", () => {
  it.each([
    ["wss://host/cdp/a?jwt=a.b.c", "wss://host/cdp/a?jwt=…"],
    ["'http://host/x?jwt=a.b.c&readOnly=true' jwt=d", "'http://host/x?jwt=…&readOnly=true' jwt=…"],
    ["no token", "no token"],
  ])("makes %j %j", (text, expected) => {
    expect(maskToken(text)).toBe(expected);
  });
});
