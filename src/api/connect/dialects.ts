import { lookUp } from "durable-machine/look-up";
import { createSessionBodySchema } from "../../features/sessions/index.ts";
import { badRequest } from "../../lib/common/errors.ts";
import { isIdentifier } from "../../lib/common/identifiers.ts";
import { isRecord } from "../../lib/common/is-record.ts";

/** Fields of the body of POST /browsers, and `pool`, `session_id`, `max_lifetime_ms` and `save_changes`. */
export type Fields = Record<string, unknown>;

type ReadParameter = (text: string, name: string) => Fields;

/** How the query of a connect URL is understood. */
export interface Dialect {
  parameters: Record<string, ReadParameter | undefined>;
  /** Names of parameters that the other service has and Berth ignores. */
  ignored: RegExp;
}

/** A parameter whose fields yield to those of other parameters. */
export const WEAK = "launch";

/** Prefix of parameters and fields. */
export const TAG = "tags.";

const OWN: Dialect = {
  parameters: {
    session: (name) => ({ name }),
    timeout: (text) => ({ timeout_seconds: toNumber(text) }),
    keep_alive: (text) => ({ timeout_seconds: toNumber(text) }),
    viewport: (text, name) => ({ viewport: toViewport(text, name, "x") }),
    headless: (text) => ({ headless: toBoolean(text) }),
    stealth: (text) => ({ stealth: toBoolean(text) }),
    kiosk_mode: (text) => ({ kiosk_mode: toBoolean(text) }),
    record: (text) => ({ record: toBoolean(text) }),
    proxy: (text) => ({ proxy_id: text }),
    profile: (text) => ({ profile: toReference(text) }),
    save_changes: (text) => ({ save_changes: toBoolean(text) }),
    extensions: (text) => ({ extensions: text.split(",").map(toReference) }),
    start_url: (text) => ({ start_url: text }),
    region: (region) => ({ region }),
    machine: (machine) => ({ machine }),
    pool: (text) => ({ pool: text }),
    options: readOptions,
  },
  ignored: /^$/,
};

const BROWSERLESS: Dialect = {
  parameters: {
    ...OWN.parameters,
    timeout: (text) => ({ max_lifetime_ms: toNumber(text) }),
    [WEAK]: readLaunch,
    trackingId: (text) => ({ [`${TAG}trackingId`]: text }),
    "--window-size": (text, name) => ({ viewport: toViewport(text, name, ",") }),
  },
  ignored:
    /^(blockAds|blockConsentModals|humanlike|slowMo|acceptInsecureCerts|ignoreHTTPSErrors|ignoreDefaultArgs|replay|devtools|dumpio|waitForInitialPage|--(?!proxy-|user-data-dir|load-extension|window-size).+)$/,
};

const BROWSERBASE_AND_STEEL: Dialect = {
  parameters: { ...OWN.parameters, sessionId: (session_id) => ({ session_id }) },
  ignored: /^projectId$/,
};

const BROWSER_RUN: Dialect = {
  parameters: {
    ...OWN.parameters,
    keep_alive: (text) => ({ timeout_seconds: Math.max(10, Math.ceil(toNumber(text) / 1000)) }),
  },
  ignored: /^(recording|targets|liveViewUrlExpiresInMs)$/,
};

/** The paths at which browsers can be connected to. */
export const BROWSER_RUN_PATH = "/client/v4/accounts/:account/browser-rendering/devtools/browser";

/** @param path the path of the route. */
export function selectDialect(path: string, query: URLSearchParams): Dialect {
  if (path.startsWith(BROWSER_RUN_PATH)) return BROWSER_RUN;
  if (path.startsWith("/chrom")) return BROWSERLESS;
  if (path.startsWith("/connect")) return OWN;
  if (query.has("apiKey")) return BROWSERBASE_AND_STEEL;
  return query.has("token") ? BROWSERLESS : OWN;
}

/** NaN is refused by the schema. */
function toNumber(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text);
}

/** A parameter without a value is true. Other texts are refused by the schema. */
function toBoolean(text: string): unknown {
  if (["", "true", "1"].includes(text)) return true;
  return ["false", "0"].includes(text) ? false : text;
}

function toReference(text: string): { id: string } | { name: string } {
  return isIdentifier(text) ? { id: text } : { name: text };
}

function toViewport(text: string, name: string, separator: "x" | ","): Fields {
  const [width = "", height = "", ...rest] = text.split(separator);
  if (![width, height].every((side) => /^\d{1,5}$/.test(side)) || rest.length > 0) {
    throw badRequest({ field: name, message: `must be a size such as 1280${separator}720` });
  }
  return { width: Number(width), height: Number(height) };
}

function readOptions(text: string, name: string): Fields {
  const options = readObject(text, name);
  for (const key of Object.keys(options))
    requireKnown(Object.hasOwn(createSessionBodySchema.in.shape, key), `${name}.${key}`);
  const { tags, ...others } = options;
  if (!isRecord(tags)) return options;
  const single = Object.entries(tags).map(([key, value]) => [TAG + key, value]);
  return { ...others, ...Object.fromEntries(single) };
}

/** JSON or its Base64, like Puppeteer's launch options. */
function readLaunch(text: string, name: string): Fields {
  const { args = [], defaultViewport, headless, stealth, timeout: _, ...others } = readObject(text, name);
  for (const key of Object.keys(others)) requireKnown(BROWSERLESS.ignored.test(key), `${name}.${key}`);
  const fields: Fields = {};
  if (headless !== undefined) fields.headless = headless !== false;
  if (stealth !== undefined) fields.stealth = stealth;
  if (isRecord(defaultViewport)) {
    fields.viewport = { width: defaultViewport.width, height: defaultViewport.height };
  }
  if (!Array.isArray(args)) throw badRequest({ field: `${name}.args`, message: "must be a list" });
  for (const arg of args) {
    const [flag = "", value = ""] = String(arg).split(/=(.*)/s);
    const read = lookUp(BROWSERLESS.parameters, flag);
    requireKnown(read !== undefined || BROWSERLESS.ignored.test(flag), `${name}.args.${flag}`);
    Object.assign(fields, read?.(value, `${name}.args.${flag}`));
  }
  return fields;
}

function readObject(text: string, name: string): Fields {
  try {
    const value: unknown = JSON.parse(text.trimStart().startsWith("{") ? text : atob(text));
    if (isRecord(value)) return value;
  } catch {
    // It is refused below.
  }
  throw badRequest({ field: name, message: "must be a JSON object" });
}

/** Options are not ignored, because a browser without its proxy or profile can do harm. */
export function requireKnown(isKnown: boolean, name: string): void {
  if (!isKnown) throw badRequest({ field: name, message: "is not supported in connect URLs" });
}
