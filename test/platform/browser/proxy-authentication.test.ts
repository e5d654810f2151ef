import { expect, it } from "vitest";
import { isChallengeOf } from "../../../src/platform/browser/contexts/proxy-authentication.ts";

const PROXY = { server: "http://Proxy.test:3128", bypassHosts: [] };

it.each([
  ["Proxy", "http://proxy.test:3128", true],
  ["Proxy", "http://proxy.test:3129", false],
  ["Proxy", "https://proxy.test:3128", false],
  ["Proxy", "http://thief.test:3128", false],
  ["Proxy", "", false],
  ["Server", "http://proxy.test:3128", false],
] as const)("recognizes a %s challenge from %j as the proxy's: %s", (source, origin, expected) => {
  expect(isChallengeOf(PROXY, { source, origin, scheme: "basic", realm: "" })).toBe(expected);
});
