import { describe, expect, it } from "vitest";
import {
  changeConfig,
  DEFAULT_CONFIG,
  presentConfig,
  wants,
} from "../../../src/features/telemetry/config.ts";
import { telemetryRequestSchema } from "../../../src/features/telemetry/schema.ts";

const OFF = { isOn: false, categories: {}, bodies: false };
const DEFAULTS = { control: true, connection: true, system: true, captcha: true };
const active = changeConfig(DEFAULT_CONFIG, { browser: { console: { enabled: true } } });

describe("telemetry configuration", () => {
  it.each([
    ["nothing", undefined, DEFAULT_CONFIG],
    ["null", null, DEFAULT_CONFIG],
    ["an empty object", {}, DEFAULT_CONFIG],
    ["empty categories", { browser: { console: {} } }, DEFAULT_CONFIG],
    ["enabled: true", { enabled: true }, { isOn: true, categories: DEFAULTS, bodies: false }],
    ["enabled: false", { enabled: false }, OFF],
    [
      "categories alone",
      { browser: { console: { enabled: true } } },
      { isOn: true, categories: { ...DEFAULTS, console: true }, bodies: false },
    ],
    [
      "enabled: true with overrides",
      { enabled: true, browser: { control: { enabled: false }, network: { enabled: true, bodies: true } } },
      { isOn: true, categories: { ...DEFAULTS, control: false, network: true }, bodies: true },
    ],
    [
      "all defaults switched off",
      { browser: Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, { enabled: false }])) },
      OFF,
    ],
  ])("is created from %s", (_, request, expected) => {
    expect(changeConfig(DEFAULT_CONFIG, request)).toEqual(expected);
  });

  it.each([
    ["nothing", undefined, active],
    ["an empty object", {}, active],
    ["a category", { browser: { page: { enabled: true } } }, { ...active.categories, page: true }],
    [
      "a category off",
      { browser: { console: { enabled: false } } },
      { ...active.categories, console: false },
    ],
    ["enabled: true", { enabled: true }, DEFAULTS],
    [
      "enabled: true with a category",
      { enabled: true, browser: { page: { enabled: true } } },
      { ...DEFAULTS, page: true },
    ],
    ["enabled: false", { enabled: false }, {}],
  ])("is changed by %s", (_, request, expected) => {
    const changed = changeConfig(active, request);
    expect(changed.categories).toEqual("categories" in expected ? active.categories : expected);
  });

  it("refuses categories with enabled: false", () => {
    const parsed = telemetryRequestSchema.safeParse({ enabled: false, browser: { page: { enabled: true } } });
    expect(parsed.error?.issues).toMatchObject([{ path: ["browser"] }]);
  });

  it.each([
    [DEFAULT_CONFIG, "console", "console_error", true],
    [DEFAULT_CONFIG, "console", "console_log", false],
    [DEFAULT_CONFIG, "page", "page_navigation", true],
    [DEFAULT_CONFIG, "network", "network_request", false],
    [DEFAULT_CONFIG, "monitor", "monitor_events_dropped", true],
    [DEFAULT_CONFIG, "monitor", "monitor_disconnected", false],
    [active, "console", "console_log", true],
    [active, "monitor", "monitor_disconnected", true],
    [changeConfig(active, { browser: { console: { enabled: false } } }), "console", "console_error", false],
    [OFF, "console", "console_error", false],
    [OFF, "monitor", "monitor_events_dropped", false],
  ] as const)("%j records %s %s: %s", (config, category, type, expected) => {
    expect(wants(config, { category, type })).toBe(expected);
  });

  it("is presented with every category, or as null", () => {
    expect(presentConfig(DEFAULT_CONFIG)).toBeNull();
    expect(presentConfig(OFF)).toBeNull();
    expect(presentConfig(active)).toMatchObject({
      browser: { console: { enabled: true }, control: { enabled: true }, network: { enabled: false } },
    });
  });
});
