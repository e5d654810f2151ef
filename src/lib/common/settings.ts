import { z } from "zod";
import { ServiceError } from "./errors.ts";
import { SETTINGS } from "./settings-schema.ts";

const SECRETS = {
  TOKEN_SECRET: { isStrong: isLong, requirement: "at least 32 bytes" },
  ENCRYPTION_KEY: { isStrong: isKey, requirement: "32 bytes in base64" },
  ADMIN_TOKEN: { isStrong: isLong, requirement: "at least 32 bytes" },
} as const;

const SECRET_BYTES = 32;

/** The secrets of every deployment, and those of a rotation. */
export const SECRET_NAMES = [...Object.keys(SECRETS), "TOKEN_SECRET_PREVIOUS", "ENCRYPTION_KEY_PREVIOUS"];

const MEBIBYTE = 1024 * 1024;

const settingsSchema = z.object(SETTINGS).transform((settings) => ({
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
    otlpDestinations: settings.MAX_OTLP_DESTINATIONS,
    proxies: settings.MAX_PROXIES,
    projects: settings.MAX_PROJECTS,
    webhooks: settings.MAX_WEBHOOKS,
    storedBytes: settings.MAX_STORED_MEBIBYTES * MEBIBYTE,
  },
  /** Calls per minute; 0 means no limit. */
  rateLimits: {
    ofKey: settings.KEY_REQUESTS_PER_MINUTE,
    ofOrganization: settings.ORGANIZATION_REQUESTS_PER_MINUTE,
    ofCreations: settings.SESSION_CREATIONS_PER_MINUTE,
  },
  maxDevToolsConnections: settings.MAX_DEVTOOLS_CONNECTIONS,
  standby: {
    count: settings.STANDBY_BROWSERS,
    idleMs: settings.STANDBY_IDLE_SECONDS * 1000,
    minimum: settings.STANDBY_MINIMUM,
  },
  /** How long a launch may wait in the queue. */
  launchWaitMs: settings.LAUNCH_WAIT_SECONDS * 1000,
  browserAccounts: settings.BROWSER_ACCOUNTS,
  browserAccountsToken: settings.BROWSER_ACCOUNTS_TOKEN ?? "",
  defaultMachine: settings.MACHINE,
  hosts: settings.HOSTS.map((host) => ({ ...host, token: host.token ?? settings.HOSTS_TOKEN ?? "" })),
  ownsAllBrowsers: settings.OWNS_ALL_BROWSERS === "true",
  browserListLagMs: settings.BROWSER_LIST_LAG_SECONDS * 1000,
  /** 0 means no limit. */
  maxSessionMs: settings.MAX_SESSION_SECONDS * 1000,
  clientIdleMs: settings.CLIENT_IDLE_SECONDS * 1000,
  browserKeepAliveMs: settings.BROWSER_KEEP_ALIVE_SECONDS * 1000,
  tokenLifetimeMs: settings.TOKEN_LIFETIME_SECONDS * 1000,
  consoleSessionMs: settings.CONSOLE_SESSION_SECONDS * 1000,
  access: {
    teamDomain: settings.ACCESS_TEAM_DOMAIN,
    audience: settings.ACCESS_AUDIENCE,
    signsInAs: settings.ACCESS_SIGNS_IN_AS,
  },
  deletedSessionRetentionMs: settings.DELETED_SESSION_RETENTION_SECONDS * 1000,
  tombstoneRetentionMs:
    Math.max(settings.TOMBSTONE_RETENTION_SECONDS, settings.TOKEN_LIFETIME_SECONDS) * 1000,
  keepsEvidence: settings.EVIDENCE === "on",
  telemetryRetentionMs: settings.TELEMETRY_RETENTION_SECONDS * 1000,
  replayRetentionMs: settings.REPLAY_RETENTION_SECONDS * 1000,
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
  /** 0: nothing is recorded. */
  auditLogRetentionMs: settings.AUDIT_LOG_RETENTION_SECONDS * 1000,
  webhookDeliveryRetentionMs: settings.WEBHOOK_DELIVERY_RETENTION_SECONDS * 1000,
  /** In US dollars. */
  prices: settings.PRICES,
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

const NAMES = Object.keys(SETTINGS);

/** The settings of an environment and the values that they were read from. Parsing takes 20 times as long. */
const read = new WeakMap<Env, { values: unknown[]; settings: Settings }>();

/** Validated `[vars]`, times in milliseconds. @throws ServiceError 500 whose cause lists the invalid ones. */
export function readSettings(env: Env): Settings {
  const values = NAMES.map((name) => Reflect.get(env, name));
  const known = read.get(env);
  if (known?.values.every((value, index) => value === values[index])) return known.settings;
  const result = settingsSchema.safeParse(env);
  if (result.success) {
    read.set(env, { values, settings: result.data });
    return result.data;
  }
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
