import { describe, expect, it } from "vitest";
import { listOptions, parseProxyUpstream, renderUserName } from "../../../src/lib/common/proxy-upstream.ts";

function upstreamOf(text: string) {
  const parsed = parseProxyUpstream(text);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed.upstream;
}

describe("parseProxyUpstream", () => {
  it.each([
    ["http://u:p@gateway.example:8000", { protocol: "http", host: "gateway.example", port: 8000 }],
    ["HTTPS://u:p@Gateway.Example:443/", { protocol: "https", host: "gateway.example", port: 443 }],
    ["http://u:p@[2001:db8::1]:1", { host: "2001:db8::1", port: 1 }],
    ["http://gateway.example:8000", { host: "gateway.example", password: "" }],
    ["http://u:a:b@c@gateway.example:8000", { host: "gateway.example", password: "a:b@c" }],
    ["http://u:p%40%25@gateway.example:8000", { password: "p@%" }],
    ["http://u:@gateway.example:8000", { password: "" }],
  ])("parses %s", (text, expected) => {
    expect(upstreamOf(text)).toMatchObject(expected);
  });

  it.each([
    ["gateway.example:8000"],
    ["socks5://u:p@gateway.example:8000"],
    ["http://u:p@gateway.example"],
    ["http://u:p@gateway.example:0"],
    ["http://u:p@gateway.example:65536"],
    ["http://u@gateway.example:8000"],
    ["http://u:p@gateway.example:8000/path"],
    ["http://u:p@gate way:8000"],
    ["http://u:secret%@gateway.example:8000"],
    ["http://u-{town}:secret@gateway.example:8000"],
    ["http://u-{Country}:secret@gateway.example:8000"],
    ["http://u-{country:secret@gateway.example:8000"],
    ["http://u-country}:secret@gateway.example:8000"],
    ["http://u[-{city}:secret@gateway.example:8000"],
    ["http://u-{city}]:secret@gateway.example:8000"],
    ["http://u[[-{city}]]:secret@gateway.example:8000"],
    ["http://u[-city]:secret@gateway.example:8000"],
  ])("rejects %s without repeating it", (text) => {
    const parsed = parseProxyUpstream(text);
    expect(parsed).toEqual({ problem: expect.any(String) });
    expect(JSON.stringify(parsed)).not.toMatch(/secret|gateway.example:8000\/|town/);
  });
});

describe("upstream user names", () => {
  const full = "acme[-cc-{country}][-st-{STATE}-city-{city}]-sess-{session}";

  it.each([
    ["plain", {}, "plain"],
    [full, { session: "s1" }, "acme-sess-s1"],
    [full, { country: "US", session: "s1" }, "acme-cc-us-sess-s1"],
    [full, { country: "US", city: "austin", session: "s1" }, "acme-cc-us-sess-s1"],
    [
      full,
      { country: "us", state: "tx", city: "austin", session: "s1" },
      "acme-cc-us-st-TX-city-austin-sess-s1",
    ],
    ["{COUNTRY}{country}", { country: "De" }, "DEde"],
    ["u-{zip}-{asn}", {}, "u--"],
  ])("render %s with %j as %s", (template, options, expected) => {
    expect(renderUserName(upstreamOf(`http://${template}:p@g.example:1`).username, options)).toBe(expected);
  });

  it("list their options, required and optional", () => {
    expect(listOptions(upstreamOf("http://a-{country}[-{CITY}]:p@g.example:1").username)).toEqual([
      { option: "country", isRequired: true },
      { option: "city", isRequired: false },
    ]);
  });
});
