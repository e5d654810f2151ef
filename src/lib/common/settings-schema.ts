import { parseNetworkAccess } from "network-rules";
import { z } from "zod";
import { MACHINES } from "./machines.ts";
import { parseJSON } from "./parse-json.ts";
import { pricesSchema } from "./prices.ts";
import { parseProxyUpstream } from "./proxy-upstream.ts";
import { REGION_NAMES, toRegion } from "./region-names.ts";

const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `must be from ${minimum} to ${maximum}`)
    .meta({ minimum, ...(maximum < Number.MAX_SAFE_INTEGER && { maximum }) });

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

const accountSchema = z
  .strictObject({
    // It is part of the ids of the account's browsers.
    name: z.string().regex(/^[a-z0-9-]{1,32}$/),
    url: z.url({ protocol: /^https$/ }).optional(),
    binding: z.string().min(1).optional(),
  })
  .refine(
    ({ url, binding }) => (url === undefined) !== (binding === undefined),
    "give either url or binding",
  );

const browserAccounts = z.string().transform((text, context) => {
  const parsed = z.array(accountSchema).safeParse(parseJSON(text || "[]"));
  const names = new Set(parsed.data?.map(({ name }) => name));
  if (parsed.success && names.size === parsed.data.length) return parsed.data;
  const message =
    "must be a JSON array of accounts with different names of a-z, 0-9 and -, and an https url or a binding";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const hostSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9-]{1,32}$/),
    url: z.url({ protocol: /^https?$/ }).optional(),
    /** The binding of a class of containers, in place of `url`. */
    binding: z.string().min(1).optional(),
    /** Default: HOSTS_TOKEN. */
    token: z.string().min(1).optional(),
    region: z.enum(REGION_NAMES).transform(toRegion).optional(),
    /** In US dollars. */
    price_per_hour: z.number().min(0).default(0),
    limits: z
      .strictObject({
        memory_mebibytes: z.int().min(64).default(2048),
        cpus: z.number().positive().default(2),
        tasks: z.int().min(32).default(1024),
        files: z.int().min(1000).default(200_000),
      })
      .prefault({}),
    labels: z.record(z.string(), z.string()).default({}),
  })
  .refine(
    ({ url, binding }) => (url === undefined) !== (binding === undefined),
    "give either url or binding",
  );

const hosts = z.string().transform((text, context) => {
  const parsed = z.array(hostSchema).safeParse(parseJSON(text || "[]"));
  const names = new Set(parsed.data?.map(({ name }) => name));
  if (parsed.success && names.size === parsed.data.length) return parsed.data;
  const reason = parsed.success ? "two have the same name" : z.prettifyError(parsed.error);
  context.addIssue({ code: "custom", message: `must be a JSON array of hosts: ${reason}` });
  return z.NEVER;
});

/** All settings. docs/settings.md is made from their descriptions. */
export const SETTINGS = {
  PUBLIC_URL: origin.describe(
    "Public origin of the service, without a path; empty: the origin of each request.",
  ),
  MAX_CONCURRENT_SESSIONS: integer(0).describe(
    "Concurrent sessions per organization, unless the operator sets a limit for the organization.",
  ),
  MAX_POOLED_SESSIONS: integer(0).describe(
    "Browsers in pools per organization, unless the operator sets a limit for the organization.",
  ),
  MAX_CONCURRENT_INVOCATIONS: integer(0).describe("Queued and running app invocations per organization."),
  MAX_CONCURRENT_DEPLOYMENTS: integer(0).describe("Deployments in progress per organization."),
  MAX_API_KEYS: integer(1).describe("API keys per organization."),
  MAX_DEPLOYMENTS: integer(0).describe("Running and in-progress deployments per organization."),
  MAX_EXTENSIONS: integer(0).describe("Extensions per organization."),
  MAX_PROFILES: integer(0).describe("Profiles per organization."),
  MAX_OTLP_DESTINATIONS: integer(0).describe("OTLP destinations per organization."),
  MAX_PROXIES: integer(0).describe("Proxies per organization."),
  MAX_PROJECTS: integer(0).describe("Projects per organization, including archived ones."),
  MAX_WEBHOOKS: integer(0).describe("Webhooks per organization."),
  MAX_STORED_MEBIBYTES: integer(0).describe(
    "Total size of an organization's extensions, profiles, deployments and recordings, in MiB.",
  ),
  KEY_REQUESTS_PER_MINUTE: integer(0).describe(
    "API calls per key, minute and Cloudflare location; 0: no limit. Must equal the limit of the binding `KEY_REQUESTS`.",
  ),
  ORGANIZATION_REQUESTS_PER_MINUTE: integer(0).describe(
    "API calls per organization, minute and location; 0: no limit. Must equal the limit of the binding `ORGANIZATION_REQUESTS`.",
  ),
  SESSION_CREATIONS_PER_MINUTE: integer(0).describe(
    "Calls that create a session per organization, minute and location; 0: no limit. Must equal the limit of the binding `SESSION_CREATIONS`.",
  ),
  MAX_DEVTOOLS_CONNECTIONS: integer(1).describe("Concurrent DevTools connections per session."),
  STANDBY_BROWSERS: z
    .union([z.literal("auto"), integer(0, 1000)], "must be auto or a whole number from 0 to 1000")
    .describe(
      "Warm browsers that belong to no organization until a session needs one, so that new sessions start faster; `auto`: as many as the recent rate of creates needs, in each region; 0: none. Cloudflare bills them like any other.",
    ),
  STANDBY_IDLE_SECONDS: integer(0).describe(
    "With `auto`, standby browsers are closed when no session was created for this long.",
  ),
  STANDBY_MINIMUM: integer(0, 1000).describe(
    "With `auto`, how many are kept for sessions without a region even while none are created. `npm start` sets 1.",
  ),
  LAUNCH_WAIT_SECONDS: integer(1, 100).describe(
    "How long creating a session waits for a free browser; a call that would wait longer returns 503 with `Retry-After` at once.",
  ),
  BROWSER_ACCOUNTS: browserAccounts.describe(
    'Further Cloudflare accounts whose browsers are used, as a JSON array such as `[{"name":"second","url":"https://berth-browsers.example.workers.dev"}]`; instead of `url`, `binding` names a service binding of this Worker.',
  ),
  BROWSER_ACCOUNTS_TOKEN: z.string().optional(),
  MACHINE: z
    .enum(MACHINES, 'must be "simulated" or "linux"')
    .describe("The machine of sessions that do not choose one: `simulated` or `linux`, which needs `HOSTS`."),
  HOSTS: hosts.describe(
    'Session hosts, which run `linux` machines, as a JSON array such as `[{"name":"first","url":"https://host.example.com"}]`; the docs page Real machines describes its fields.',
  ),
  HOSTS_TOKEN: z.string().optional(),
  OWNS_ALL_BROWSERS: flag.describe(
    "Whether only Berth launches browsers in the Cloudflare account; if true, browsers without a session are closed. `npm start` sets true.",
  ),
  BROWSER_LIST_LAG_SECONDS: integer(0, 600).describe(
    "How far the platform may lag behind a launch; a session is lost when its browser's own address has answered 404 for this long. `npm start` sets 0.",
  ),
  MAX_SESSION_SECONDS: integer(0).describe("Maximum lifetime of a session; 0: no limit."),
  CLIENT_IDLE_SECONDS: integer(1).describe(
    "Closes a connection that has had no frame in either direction for this long.",
  ),
  BROWSER_KEEP_ALIVE_SECONDS: integer(30, 1200).describe(
    "How long the platform keeps a browser that receives no commands; 600 if it refuses more.",
  ),
  TOKEN_LIFETIME_SECONDS: integer(60).describe(
    "Lifetime of the tokens in `cdp_ws_url`, `browser_live_view_url` and `replay_view_url`.",
  ),
  CONSOLE_SESSION_SECONDS: integer(60).describe("How long a sign-in to the console lasts."),
  ACCESS_TEAM_DOMAIN: origin
    .refine((text) => !text.startsWith("http:"), "must be an https origin")
    .describe(
      "Origin of the Cloudflare Access team that protects `/console`, such as `https://team.cloudflareaccess.com`; empty: Access does not sign in to the console.",
    ),
  ACCESS_AUDIENCE: z.string().describe("The AUD tag of the Access application that protects `/console`."),
  ACCESS_SIGNS_IN_AS: z
    .string()
    .min(1, "must be `operator` or the id of an API key")
    .describe(
      "Whose rights people admitted by Access get: `operator`, or the id of an API key of an organization.",
    ),
  DELETED_SESSION_RETENTION_SECONDS: integer(0).describe("How long ended sessions stay listed."),
  EVIDENCE: z
    .enum(["on", "off"])
    .describe("Whether an ended session keeps the addresses and titles of its tabs and a last screenshot."),
  TELEMETRY_RETENTION_SECONDS: integer(0).describe(
    "How long the events and the last screenshot of ended sessions are kept; 0: they end with the session.",
  ),
  TOMBSTONE_RETENTION_SECONDS: integer(0).describe(
    "How long the object of an ended session remembers that it ended; at least `TOKEN_LIFETIME_SECONDS`.",
  ),
  REPLAY_RETENTION_SECONDS: integer(0).describe("How long the recordings of ended sessions are kept."),
  IDEMPOTENCY_RETENTION_SECONDS: integer(1).describe("How long an `Idempotency-Key` is valid."),
  LIVE_VIEW_FRAME_ANCESTORS: z
    .string()
    .regex(/^[^;,\r\n]+$/, "must be sources as a content security policy takes them, such as 'self' or *")
    .describe("Sites that may embed a live view, in the syntax of the CSP directive `frame-ancestors`."),
  LIVE_VIEW_QUALITY: integer(1, 100).describe("JPEG quality of live view frames."),
  LIVE_VIEW_MAX_WIDTH: integer(320, 2560).describe("Maximum width of live view frames in pixels."),
  FILE_QUOTA_MEBIBYTES: integer(1).describe("Total size of a session's files, in MiB."),
  PROCESS_SECONDS: integer(1).describe("Maximum run time of a process, regardless of its own timeout."),
  // An RPC message has at most 32 MiB.
  PROCESS_OUTPUT_MEBIBYTES: integer(1, 24).describe(
    "Maximum output of a process, stdout and stderr combined, in MiB.",
  ),
  PROCESSES_PER_SESSION: integer(1, 1000).describe(
    "Concurrent processes per session, including background jobs.",
  ),
  MACHINE_NETWORK: networkAccess.describe(
    "Where a session's commands may connect: `off`, `on`, or hosts such as `example.com, *.example.org:8443`.",
  ),
  ALLOW_PRIVATE_ADDRESSES: flag.describe(
    "Whether requests on behalf of clients may go to loopback, private and link-local addresses.",
  ),
  PROXY_BROWSER_CHECK: flag.describe(
    "Whether the browser of a session with a proxy first loads `PROXY_CHECK_URL` through it; if that fails, creating the session returns 503 `proxy_unreachable_from_browser`.",
  ),
  PROXY_CHECK_URL: z
    .url({ protocol: /^http$/, error: "must be an address of plain http" })
    .describe(
      "URL requested through a proxy to check it. It must return the client's IP address as text, or as JSON in `ip` or `origin`. Plain http only.",
    ),
  PROXY_CHECK_SECONDS: integer(0).describe(
    "Interval between automatic checks of a proxy, at most 50 proxies a minute; 0: no automatic checks.",
  ),
  APP_NETWORK: networkAccess.describe(
    "Where apps may connect besides this service: `off`, `on`, or hosts as in `MACHINE_NETWORK`.",
  ),
  APP_PACKAGE_INSTALLS: flag.describe(
    "Whether a deployment installs packages that are listed in its `package.json` but missing from its zip.",
  ),
  APP_PACKAGE_REGISTRY: z
    .union([z.literal(""), z.url({ protocol: /^https?$/ })])
    .describe("URL of the package registry; empty: the npm registry."),
  INVOCATION_LOG_RETENTION_SECONDS: integer(0).describe(
    "How long the logs of finished invocations and of deployments are kept.",
  ),
  AUDIT_LOG_RETENTION_SECONDS: integer(0).describe(
    "How long the entries of the audit logs are kept, accurate to a day; 0: nothing is recorded.",
  ),
  WEBHOOK_DELIVERY_RETENTION_SECONDS: integer(0).describe(
    "How long delivered and failed deliveries of webhooks stay listed.",
  ),
  PRICES: pricesSchema.describe(
    "Prices in US dollars for estimating costs and budgets, such as `browser_hour=0.096 dynamic_worker=0.002`; a price that is not listed is 0.",
  ),
  LOOP_GUARD_MS: integer(0, 60_000).describe(
    "Milliseconds that uploaded code may block the event loop; 0: only the platform's limits apply. `npm start` sets 200.",
  ),
  PROXY_UPSTREAM_DATACENTER: proxyUpstream,
  PROXY_UPSTREAM_ISP: proxyUpstream,
  PROXY_UPSTREAM_RESIDENTIAL: proxyUpstream,
  PROXY_UPSTREAM_MOBILE: proxyUpstream,
};
