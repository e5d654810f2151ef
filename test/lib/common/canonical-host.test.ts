import { expect, it } from "vitest";
import { canonicalHost, toUrlHost } from "../../../src/lib/common/canonical-host.ts";

it.each([
  ["Proxy.Example", "proxy.example"],
  ["proxy.example.", "proxy.example"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["192.0.2.1", "192.0.2.1"],
  ["0x7f.1", "127.0.0.1"],
  ["2130706433", "127.0.0.1"],
  ["0177.0.0.1", "127.0.0.1"],
  ["::1", "::1"],
  ["[::1]", "::1"],
  ["::FFFF:127.0.0.1", "::ffff:7f00:1"],
  ["", undefined],
  [".", undefined],
  ["http://proxy.example", undefined],
  ["proxy.example:80", undefined],
  ["[::1]:80", undefined],
  ["[proxy.example]", undefined],
  ["[::1", undefined],
  ["proxy.example/", undefined],
  ["user@proxy.example", undefined],
  ["proxy example", undefined],
  ["proxy.example?", undefined],
  ["proxy.example#", undefined],
  ["proxy.example\\", undefined],
  ["proxy.example\r\nX: y", undefined],
  ["proxy%2eexample", undefined],
  ["256.1.1.1", undefined],
])("reads %j as the host %j", (text, host) => {
  expect(canonicalHost(text)).toBe(host);
});

it("puts brackets around IPv6 addresses only", () => {
  expect(["::1", "127.0.0.1", "proxy.example"].map(toUrlHost)).toEqual([
    "[::1]",
    "127.0.0.1",
    "proxy.example",
  ]);
});
