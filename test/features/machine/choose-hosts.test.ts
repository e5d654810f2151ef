import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { chooseHosts } from "../../../src/features/machine/choose-hosts.ts";
import { readSettings } from "../../../src/lib/common/settings.ts";

function hosts(...entries: object[]) {
  const named = entries.map((entry, index) => ({
    name: `h${index}`,
    url: "https://host.example",
    ...entry,
  }));
  return readSettings({ ...env, HOSTS: JSON.stringify(named) }).hosts;
}

describe("chooseHosts", () => {
  it.each([
    ["the cheapest first", [{ price_per_hour: 2 }, { price_per_hour: 1 }, {}], null, ["h2", "h1", "h0"]],
    [
      "those of the region before cheaper ones",
      [{ price_per_hour: 1 }, { region: "weur", price_per_hour: 2 }, { region: "enam" }],
      "weur" as const,
      ["h1", "h2", "h0"],
    ],
    [
      "regions by Kernel's names",
      [
        { region: "us-east", price_per_hour: 2 },
        { region: "eu-west", price_per_hour: 3 },
      ],
      "weur" as const,
      ["h1", "h0"],
    ],
    ["none where there are none", [], null, []],
  ])("asks %s", (_, entries, region, expected) => {
    expect(chooseHosts(hosts(...entries), region).map(({ name }) => name)).toEqual(expected);
  });

  it("shares machines among equal hosts", () => {
    const equal = hosts({}, {}, {});
    const firsts = new Set(Array.from({ length: 200 }, () => chooseHosts(equal, null)[0]?.name));
    expect([...firsts].sort()).toEqual(["h0", "h1", "h2"]);
  });
});
