import { z } from "zod";
import { parseNetworkAccess } from "../network/network-access.ts";
import { parseProxyUpstream } from "../network/proxy-upstream.ts";
import { ServiceError } from "./errors.ts";

const SECRETS = {
  TOKEN_SECRET: { isStrong: isLong, requirement: "at least 32 bytes" },
  ENCRYPTION_KEY: { isStrong: isKey, requirement: "32 bytes in base64" },
  ADMIN_TOKEN: { isStrong: isLong, requirement: "at least 32 bytes" },
} as const;

const SECRET_BYTES = 32;

const MEBIBYTE = 1024 * 1024;

const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `must be from ${minimum} to ${maximum}`);

const networkAccess = z.string().transform((text, context) => {
  const parsed = parseNetworkAccess(text);
  if ("access" in parsed) return parsed.access;
  context.addIssue({ code: "custom", message: parsed.problem });
  return z.NEVER;
});

const flag = z.enum(["true", "false"], 'must be "true" or "false"');

const proxyUpstream = z
  .string()
  .optional()
  .transform((text, context) => {
    if (!text) return undefined;
    const parsed = parseProxyUpstream(text);
    if ("upstream" in parsed) return parsed.upstream;
    context.addIssue({ code: "custom", message: parsed.problem });
    return z.NEVER;
  });

const origin = z.union([z.literal(""), z.url({ protocol: /^https?$/ })]).transform((text, context) => {
  if (text === "") return text;
  const { username, password, pathname, search, hash, origin } = new URL(text);
  if (/^\/+$/.test(pathname) && username + password + search + hash === "") return origin;
  context.addIssue({ code: "custom", message: "must be an origin, without a path, query or credentials" });
  return z.NEVER;
});

const settingsSchema = z
  .object({
    PUBLIC_URL: origin,
    MAX_CONCURRENT_SESSIONS: integer(0),
    MAX_POOLED_SESSIONS: integer(0),
    MAX_CONCURRENT_INVOCATIONS: integer(0),
    MAX_CONCURRENT_DEPLOYMENTS: integer(0),
    MAX_API_KEYS: integer(1),
    MAX_DEPLOYMENTS: integer(0),
    MAX_EXTENSIONS: integer(0),
    MAX_PROFILES: integer(0),
    MAX_PROXIES: integer(0),
    MAX_STORED_MEBIBYTES: integer(0),
    MAX_DEVTOOLS_CONNECTIONS: integer(1),
    STANDBY_BROWSERS: integer(0, 1000),
    OWNS_ALL_BROWSERS: flag,
    BROWSER_LIST_LAG_SECONDS: integer(0, 600),
    MAX_SESSION_SECONDS: integer(0),
    CLIENT_IDLE_SECONDS: integer(1),
    BROWSER_KEEP_ALIVE_SECONDS: integer(30, 600),
    TOKEN_LIFETIME_SECONDS: integer(60),
    DELETED_SESSION_RETENTION_SECONDS: integer(0),
    TOMBSTONE_RETENTION_SECONDS: integer(0),
    IDEMPOTENCY_RETENTION_SECONDS: integer(1),
    LIVE_VIEW_FRAME_ANCESTORS: z
      .string()
      .regex(/^[^;,\r\n]+$/, "must be sources as a content security policy takes them, such as 'self' or *"),
    LIVE_VIEW_QUALITY: integer(1, 100),
    LIVE_VIEW_MAX_WIDTH: integer(320, 2560),
    FILE_QUOTA_MEBIBYTES: integer(1),
    PROCESS_SECONDS: integer(1),
    // An RPC message has at most 32 MiB.
    PROCESS_OUTPUT_MEBIBYTES: integer(1, 24),
    PROCESSES_PER_SESSION: integer(1, 1000),
    MACHINE_NETWORK: networkAccess,
    ALLOW_PRIVATE_ADDRESSES: flag,
    PROXY_BROWSER_CHECK: flag,
    PROXY_CHECK_URL: z.url({ protocol: /^http$/, error: "must be an address of plain http" }),
    PROXY_CHECK_SECONDS: integer(0),
    APP_NETWORK: networkAccess,
    APP_PACKAGE_INSTALLS: flag,
    APP_PACKAGE_REGISTRY: z.union([z.literal(""), z.url({ protocol: /^https?$/ })]),
    INVOCATION_LOG_RETENTION_SECONDS: integer(0),
    LOOP_GUARD_MS: integer(0, 60_000),
    PROXY_UPSTREAM_DATACENTER: proxyUpstream,
    PROXY_UPSTREAM_ISP: proxyUpstream,
    PROXY_UPSTREAM_RESIDENTIAL: proxyUpstream,
    PROXY_UPSTREAM_MOBILE: proxyUpstream,
  })
  .transform((settings) => ({
    /** Empty: the origin of each request. */
    publicURL: settings.PUBLIC_URL,
    maxConcurrentSessions: settings.MAX_CONCURRENT_SESSIONS,
    maxPooledSessions: settings.MAX_POOLED_SESSIONS,
    maxConcurrentInvocations: settings.MAX_CONCURRENT_INVOCATIONS,
    maxConcurrentDeployments: settings.MAX_CONCURRENT_DEPLOYMENTS,
    quotas: {
      apiKeys: settings.MAX_API_KEYS,
      deployments: settings.MAX_DEPLOYMENTS,
      extensions: settings.MAX_EXTENSIONS,
      profiles: settings.MAX_PROFILES,
      proxies: settings.MAX_PROXIES,
      storedBytes: settings.MAX_STORED_MEBIBYTES * MEBIBYTE,
    },
    maxDevToolsConnections: settings.MAX_DEVTOOLS_CONNECTIONS,
    standbyBrowsers: settings.STANDBY_BROWSERS,
    ownsAllBrowsers: settings.OWNS_ALL_BROWSERS === "true",
    browserListLagMs: settings.BROWSER_LIST_LAG_SECONDS * 1000,
    /** 0 means no limit. */
    maxSessionMs: settings.MAX_SESSION_SECONDS * 1000,
    clientIdleMs: settings.CLIENT_IDLE_SECONDS * 1000,
    browserKeepAliveMs: settings.BROWSER_KEEP_ALIVE_SECONDS * 1000,
    tokenLifetimeMs: settings.TOKEN_LIFETIME_SECONDS * 1000,
    deletedSessionRetentionMs: settings.DELETED_SESSION_RETENTION_SECONDS * 1000,
    tombstoneRetentionMs:
      Math.max(settings.TOMBSTONE_RETENTION_SECONDS, settings.TOKEN_LIFETIME_SECONDS) * 1000,
    idempotencyRetentionMs: settings.IDEMPOTENCY_RETENTION_SECONDS * 1000,
    liveViewFrameAncestors: settings.LIVE_VIEW_FRAME_ANCESTORS,
    liveViewFrames: { quality: settings.LIVE_VIEW_QUALITY, maxWidth: settings.LIVE_VIEW_MAX_WIDTH },
    machine: {
      fileQuotaBytes: settings.FILE_QUOTA_MEBIBYTES * MEBIBYTE,
      processMs: settings.PROCESS_SECONDS * 1000,
      processOutputBytes: settings.PROCESS_OUTPUT_MEBIBYTES * MEBIBYTE,
      processes: settings.PROCESSES_PER_SESSION,
      network: settings.MACHINE_NETWORK,
    },
    /** Whether callers' requests may go to loopback, private and link-local addresses. */
    allowPrivateAddresses: settings.ALLOW_PRIVATE_ADDRESSES === "true",
    apps: {
      network: settings.APP_NETWORK,
      installsPackages: settings.APP_PACKAGE_INSTALLS === "true",
      packageRegistry: settings.APP_PACKAGE_REGISTRY,
      logRetentionMs: settings.INVOCATION_LOG_RETENTION_SECONDS * 1000,
    },
    /** Maximum time uploaded code may block its isolate; 0 disables the guard. */
    loopGuardMs: settings.LOOP_GUARD_MS,
    proxies: {
      checkURL: settings.PROXY_CHECK_URL,
      checksInBrowser: settings.PROXY_BROWSER_CHECK === "true",
      /** Maximum age of a proxy check; 0 disables periodic checks. */
      checkMs: settings.PROXY_CHECK_SECONDS * 1000,
      upstreams: {
        datacenter: settings.PROXY_UPSTREAM_DATACENTER,
        isp: settings.PROXY_UPSTREAM_ISP,
        residential: settings.PROXY_UPSTREAM_RESIDENTIAL,
        mobile: settings.PROXY_UPSTREAM_MOBILE,
      },
    },
  }));

export type Settings = z.infer<typeof settingsSchema>;

/**
 * The validated `[vars]` of wrangler.toml, with times in milliseconds.
 *
 * @throws ServiceError 500 whose cause lists the invalid settings.
 */
export function readSettings(env: Env): Settings {
  const result = settingsSchema.safeParse(env);
  if (result.success) return result.data;
  throw misconfigured(result.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`));
}

/** @throws ServiceError 500 whose cause lists the missing or weak secrets. */
export function requireSecrets(env: Env): void {
  const problems = Object.entries(SECRETS).flatMap(([name, { isStrong, requirement }]) =>
    isStrong(Reflect.get(env, name))
      ? []
      : [`${name} must be ${requirement} (set it with \`wrangler secret put\`)`],
  );
  if (problems.length > 0) throw misconfigured(problems);
}

/** @throws ServiceError 500 whose cause lists the invalid secrets or settings. */
export function requireConfiguration(env: Env): void {
  requireSecrets(env);
  readSettings(env);
}

function misconfigured(problems: string[]): ServiceError {
  return new ServiceError("internal_error", "The service is misconfigured", {
    cause: new Error(problems.join("; ")),
  });
}

function isLong(secret: unknown): boolean {
  return typeof secret === "string" && new TextEncoder().encode(secret).length >= SECRET_BYTES;
}

function isKey(secret: unknown): boolean {
  if (typeof secret !== "string") return false;
  try {
    return Uint8Array.fromBase64(secret).length === SECRET_BYTES;
  } catch {
    return false;
  }
}
