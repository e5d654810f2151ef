import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readSettings, requireConfiguration, requireSecrets } from "../../../src/lib/common/settings.ts";

/** The message hides the problem from clients; the cause names it for the log. */
function misconfigured(problem: string | RegExp) {
  return expect.objectContaining({
    code: "internal_error",
    message: "The service is misconfigured",
    cause: expect.objectContaining({ message: expect.stringMatching(problem) }),
  });
}

const files = import.meta.glob<string>("../../../wrangler.toml", {
  query: "?raw",
  import: "default",
  eager: true,
});
const wrangler = files["../../../wrangler.toml"] ?? "";

/** The limits of the platform's counters. */
const COUNTED = {
  KEY_REQUESTS: "KEY_REQUESTS_PER_MINUTE",
  ORGANIZATION_REQUESTS: "ORGANIZATION_REQUESTS_PER_MINUTE",
  SESSION_CREATIONS: "SESSION_CREATIONS_PER_MINUTE",
} as const;

it.each(Object.entries(COUNTED))("the binding %s has the limit of %s", (binding, setting) => {
  const [, limit] =
    new RegExp(`name = "${binding}"\\n.*\\nsimple = { limit = (\\d+), period = 60 }`).exec(wrangler) ?? [];
  expect(limit).toBe(env[setting]);
});

describe("readSettings", () => {
  it("returns the defaults with times in milliseconds", () => {
    expect(readSettings(env)).toEqual({
      publicURL: "",
      maxConcurrentSessions: 100,
      maxPooledSessions: 100,
      maxConcurrentInvocations: 100,
      maxConcurrentDeployments: 20,
      quotas: {
        apiKeys: 1000,
        deployments: 1000,
        extensions: 1000,
        otlpDestinations: 10,
        profiles: 10_000,
        projects: 1000,
        proxies: 1000,
        webhooks: 20,
        storedBytes: 10 * 1024 * 1024 * 1024,
      },
      rateLimits: { ofKey: 30_000, ofOrganization: 60_000, ofCreations: 600 },
      maxDevToolsConnections: 100,
      standby: { count: 0, idleMs: 600_000, minimum: 0 },
      launchWaitMs: 20_000,
      browserAccounts: [],
      browserAccountsToken: "",
      defaultMachine: "simulated",
      hosts: [],
      ownsAllBrowsers: false,
      browserListLagMs: 15_000,
      maxSessionMs: 0,
      consoleSessionMs: 43_200_000,
      access: { teamDomain: "", audience: "", signsInAs: "operator" },
      clientIdleMs: 3_600_000,
      browserKeepAliveMs: 600_000,
      tokenLifetimeMs: 259_200_000,
      deletedSessionRetentionMs: 2_592_000_000,
      tombstoneRetentionMs: 259_200_000,
      keepsEvidence: true,
      telemetryRetentionMs: 2_592_000_000,
      replayRetentionMs: 2_592_000_000,
      idempotencyRetentionMs: 86_400_000,
      liveViewFrameAncestors: "*",
      liveViewFrames: { quality: 60, maxWidth: 1280 },
      machine: {
        fileQuotaBytes: 1024 * 1024 * 1024,
        processMs: 3_600_000,
        processOutputBytes: 16 * 1024 * 1024,
        processes: 64,
        network: "none",
      },
      allowPrivateAddresses: false,
      apps: { network: "all", installsPackages: true, packageRegistry: "", logRetentionMs: 604_800_000 },
      // vitest.config.ts switches it off.
      auditLogRetentionMs: 0,
      webhookDeliveryRetentionMs: 604_800_000,
      prices: {
        browser_hour: 0.096,
        invocation: 0,
        dynamic_worker: 0.002,
        recorded_hour: 0.0054,
        stored_gb_month: 0.015,
        proxied_gb: 0,
      },
      // vitest.config.ts sets this and the browser check of proxies.
      loopGuardMs: 1000,
      proxies: { checkURL: "http://api.ipify.org/", checksInBrowser: false, checkMs: 900_000, upstreams: {} },
    });
  });

  it.each(["https://berth.example.com//", "https://Berth.Example.com", "HTTPS://berth.example.com:443/"])(
    "normalizes the public URL to an origin: %s",
    (url) => {
      expect(readSettings({ ...env, PUBLIC_URL: url }).publicURL).toBe("https://berth.example.com");
    },
  );

  it("keeps a tombstone at least as long as a token lives", () => {
    const short = { ...env, TOMBSTONE_RETENTION_SECONDS: "0", TOKEN_LIFETIME_SECONDS: "100" };
    expect(readSettings(short).tombstoneRetentionMs).toBe(100_000);
    const long = { ...env, TOMBSTONE_RETENTION_SECONDS: "200", TOKEN_LIFETIME_SECONDS: "100" };
    expect(readSettings(long).tombstoneRetentionMs).toBe(200_000);
  });

  it.each([
    ["PUBLIC_URL", "berth.example.com"],
    ["PUBLIC_URL", "ftp://berth.example.com"],
    ["PUBLIC_URL", "https://berth.example.com/path"],
    ["PUBLIC_URL", "https://berth.example.com/?query"],
    ["PUBLIC_URL", "https://berth.example.com/#part"],
    ["PUBLIC_URL", "https://user@berth.example.com"],
    ["PUBLIC_URL", "https://:password@berth.example.com"],
    ["MAX_CONCURRENT_SESSIONS", "-1"],
    ["MAX_CONCURRENT_SESSIONS", "many"],
    ["MAX_POOLED_SESSIONS", ""],
    ["MAX_CONCURRENT_INVOCATIONS", "-1"],
    ["MAX_CONCURRENT_DEPLOYMENTS", "-1"],
    ["MAX_API_KEYS", "0"],
    ["MAX_STORED_MEBIBYTES", "-1"],
    ["MAX_DEVTOOLS_CONNECTIONS", "0"],
    ["OWNS_ALL_BROWSERS", "yes"],
    ["BROWSER_LIST_LAG_SECONDS", "601"],
    ["STANDBY_BROWSERS", "-1"],
    ["STANDBY_BROWSERS", "1001"],
    ["STANDBY_BROWSERS", "automatic"],
    ["STANDBY_IDLE_SECONDS", "-1"],
    ["STANDBY_MINIMUM", "1001"],
    ["LAUNCH_WAIT_SECONDS", "0"],
    ["LAUNCH_WAIT_SECONDS", "101"],
    ["BROWSER_ACCOUNTS", "second"],
    ["BROWSER_ACCOUNTS", '[{"name":"second"}]'],
    ["BROWSER_ACCOUNTS", '[{"name":"a~b","binding":"B"}]'],
    ["BROWSER_ACCOUNTS", '[{"name":"a","url":"http://a.example"}]'],
    ["BROWSER_ACCOUNTS", '[{"name":"a","url":"https://a.example","binding":"B"}]'],
    ["BROWSER_ACCOUNTS", '[{"name":"a","binding":"B"},{"name":"a","binding":"C"}]'],
    ["MAX_SESSION_SECONDS", "1.5"],
    ["CLIENT_IDLE_SECONDS", "0"],
    ["BROWSER_KEEP_ALIVE_SECONDS", "9"],
    ["BROWSER_KEEP_ALIVE_SECONDS", "1201"],
    ["TOKEN_LIFETIME_SECONDS", "59"],
    ["APP_NETWORK", "somewhere else"],
    ["APP_PACKAGE_INSTALLS", "yes"],
    ["APP_PACKAGE_REGISTRY", "registry.example.com"],
    ["INVOCATION_LOG_RETENTION_SECONDS", "-1"],
    ["LOOP_GUARD_MS", "60001"],
    ["PRICES", "browser_hours=1"],
    ["PRICES.browser_hour", "browser_hour=cheap"],
    ["PRICES.browser_hour", "browser_hour"],
    ["PRICES.browser_hour", "browser_hour=-1"],
    ["DELETED_SESSION_RETENTION_SECONDS", "1d"],
    ["TOMBSTONE_RETENTION_SECONDS", " 1"],
    ["IDEMPOTENCY_RETENTION_SECONDS", "0"],
    ["LIVE_VIEW_FRAME_ANCESTORS", ""],
    ["LIVE_VIEW_FRAME_ANCESTORS", "*; script-src *"],
    ["LIVE_VIEW_FRAME_ANCESTORS", "'self', *"],
    ["LIVE_VIEW_FRAME_ANCESTORS", "*\r\nx-header: 1"],
    ["LIVE_VIEW_QUALITY", "0"],
    ["LIVE_VIEW_QUALITY", "101"],
    ["LIVE_VIEW_MAX_WIDTH", "319"],
    ["LIVE_VIEW_MAX_WIDTH", "2561"],
    ["FILE_QUOTA_MEBIBYTES", "0"],
    ["PROCESS_SECONDS", "0"],
    ["PROCESS_OUTPUT_MEBIBYTES", "25"],
    ["PROCESSES_PER_SESSION", "0"],
    ["PROCESSES_PER_SESSION", "1001"],
    ["MACHINE_NETWORK", ""],
    ["MACHINE_NETWORK", "https://example.com/"],
    ["ALLOW_PRIVATE_ADDRESSES", "yes"],
    ["PROXY_CHECK_URL", ""],
    ["PROXY_BROWSER_CHECK", "1"],
    ["PROXY_CHECK_URL", "https://api.ipify.org/"],
    ["PROXY_CHECK_SECONDS", "-1"],
    ["PROXY_UPSTREAM_DATACENTER", "gateway.example:8000"],
    ["PROXY_UPSTREAM_ISP", "http://user:password@gateway.example"],
    ["PROXY_UPSTREAM_RESIDENTIAL", "http://user-{county}:password@gateway.example:8000"],
    ["PROXY_UPSTREAM_MOBILE", "http://user-[{city}:password@gateway.example:8000"],
  ])("reports %s when it is %j", (name, value) => {
    const [setting = ""] = name.split(".");
    expect(() => readSettings({ ...env, [setting]: value })).toThrow(misconfigured(name));
  });

  it("reports every invalid setting", () => {
    const broken = { ...env, MAX_SESSION_SECONDS: "x", CLIENT_IDLE_SECONDS: "y" };
    expect(() => readSettings(broken)).toThrow(misconfigured(/MAX_SESSION_SECONDS.*CLIENT_IDLE_SECONDS/));
  });
});

describe("requireSecrets", () => {
  it("accepts complete secrets", () => {
    expect(() => requireSecrets(env)).not.toThrow();
  });

  it.each(["TOKEN_SECRET", "ENCRYPTION_KEY", "ADMIN_TOKEN"])("reports %s when it is missing", (name) => {
    expect(() => requireSecrets({ ...env, [name]: "" })).toThrow(misconfigured(name));
  });

  it("is part of requireConfiguration, like the settings", () => {
    expect(() => requireConfiguration(env)).not.toThrow();
    expect(() => requireConfiguration({ ...env, ADMIN_TOKEN: "" })).toThrow(misconfigured(/ADMIN_TOKEN/));
    expect(() => requireConfiguration({ ...env, MAX_SESSION_SECONDS: "x" })).toThrow(
      misconfigured(/MAX_SESSION_SECONDS/),
    );
  });

  it("reports all missing secrets", () => {
    const bare = { ...env, TOKEN_SECRET: "", ENCRYPTION_KEY: "", ADMIN_TOKEN: "" };
    expect(() => requireSecrets(bare)).toThrow(misconfigured(/TOKEN_SECRET.*ENCRYPTION_KEY.*ADMIN_TOKEN/));
  });
});
