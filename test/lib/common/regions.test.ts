import { describe, expect, it } from "vitest";
import { REGION_NAMES, toRegion } from "../../../src/lib/common/region-names.ts";
import { placedIn, regionOf, regionOfRequest } from "../../../src/lib/common/regions.ts";

describe("the region near a caller", () => {
  it.each([
    ["NA", "US", "-122.4", "wnam"],
    ["NA", "US", "-74.0", "enam"],
    ["NA", "CA", "-123.1", "wnam"],
    ["NA", "MX", "-99.1", "enam"],
    ["NA", "US", undefined, "enam"],
    ["SA", "BR", "-46.6", "sam"],
    ["EU", "DE", "13.4", "weur"],
    ["EU", "PL", "21.0", "eeur"],
    ["EU", "UA", "30.5", "eeur"],
    ["AS", "TR", "29.0", "me"],
    ["AS", "AE", "55.3", "me"],
    ["AS", "IN", "72.9", "apac"],
    ["AS", "JP", "139.7", "apac-ne"],
    ["AS", "KR", "127.0", "apac-ne"],
    ["AS", "SG", "103.8", "apac-se"],
    ["AS", "ID", "106.8", "apac-se"],
    ["OC", "AU", "151.2", "oc"],
    ["AF", "NG", "3.4", "afr"],
    ["AN", "AQ", "0", null],
    [undefined, "T1", undefined, null],
    [undefined, undefined, undefined, null],
    ["", "", "", null],
  ])("in %s, %s at %s degrees is %s", (continent, country, longitude, region) => {
    expect(regionOf({ continent, country, longitude })).toBe(region);
  });

  it("is taken from the request, if the platform tells it", () => {
    expect(
      regionOfRequest(new Request("https://a.example", { cf: { continent: "EU", country: "FR" } })),
    ).toBe("weur");
    expect(regionOfRequest(new Request("https://a.example"))).toBeNull();
  });
});

it.each([
  ["us-west", "wnam"],
  ["us-east", "enam"],
  ["eu-west", "weur"],
  ["ap-southeast", "apac-se"],
  ["apac-ne", "apac-ne"],
  ["oc", "oc"],
] as const)("the name %s is that of %s", (name, region) => {
  expect(REGION_NAMES).toContain(name);
  expect(toRegion(name)).toBe(region);
});

it("an object without a region is placed near its first caller", () => {
  expect([placedIn(null), placedIn("me")]).toEqual([{}, { locationHint: "me" }]);
});
