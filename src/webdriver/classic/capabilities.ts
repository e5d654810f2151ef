import { z } from "zod";
import { WebDriverError } from "./errors.ts";

const timeoutSchema = z.int().min(0).nullable();

/** Milliseconds; null: no limit. */
export const timeoutsSchema = z.object({
  script: timeoutSchema,
  pageLoad: timeoutSchema,
  implicit: z.int().min(0),
});

const DEFAULT_TIMEOUTS = { script: 30_000, pageLoad: 300_000, implicit: 0 };

const behaviorSchema = z.enum(["accept", "accept and notify", "dismiss", "dismiss and notify", "ignore"]);

const settingsShape = {
  acceptInsecureCerts: z.boolean().default(false),
  pageLoadStrategy: z.enum(["none", "eager", "normal"]).default("normal"),
  unhandledPromptBehavior: z
    .union([behaviorSchema, z.record(z.string(), behaviorSchema)])
    .default("dismiss and notify"),
  timeouts: timeoutsSchema
    .partial()
    .default({})
    .transform((timeouts) => ({ ...DEFAULT_TIMEOUTS, ...timeouts })),
};

const settingsSchema = z.object(settingsShape);

/** What a client asks of its WebDriver session, apart from the browser. */
export type WebDriverSettings = z.infer<typeof settingsSchema>;

const capabilitiesSchema = z
  .looseObject({
    ...settingsShape,
    browserName: z.string().default("chrome"),
    browserVersion: z.string().optional(),
    platformName: z.string().default("linux"),
    proxy: z.looseObject({ proxyType: z.string().default("system") }).prefault({}),
    setWindowRect: z.boolean().optional(),
    strictFileInteractability: z.boolean().optional(),
    webSocketUrl: z.boolean().default(false),
    "berth:options": z.looseObject({ api_key: z.string().optional() }).prefault({}),
  })
  .superRefine((capabilities, context) => {
    for (const name of Object.keys(capabilities)) {
      if (name in capabilitiesSchema.shape || name.includes(":")) continue;
      context.addIssue({ code: "custom", path: [name], message: "is no capability of WebDriver" });
    }
  });

type Capabilities = z.infer<typeof capabilitiesSchema>;

const recordSchema = z.record(z.string(), z.unknown());

export const newSessionSchema = z.object({
  capabilities: z.object({
    alwaysMatch: recordSchema.default({}),
    firstMatch: z.array(recordSchema).min(1, "must not be empty").default([{}]),
  }),
});

export interface SelectedCapabilities {
  settings: WebDriverSettings;
  /** The API key, if it is in the capabilities. */
  apiKey: string | undefined;
  /** The properties of the Berth session. */
  session: Record<string, unknown>;
  wantsBidi: boolean;
}

/** @throws WebDriverError `invalid argument`, or `session not created` when the service has no such browser. */
export function selectCapabilities({ capabilities }: z.infer<typeof newSessionSchema>): SelectedCapabilities {
  const { alwaysMatch, firstMatch } = capabilities;
  let mismatch: string | undefined;
  for (const first of firstMatch) {
    const twice = Object.keys(first).find((name) => Object.hasOwn(alwaysMatch, name));
    if (twice !== undefined)
      throw new WebDriverError("invalid argument", `${twice}: is in alwaysMatch and firstMatch`);
    const given = Object.entries({ ...alwaysMatch, ...first }).filter(([, value]) => value !== null);
    const parsed = capabilitiesSchema.safeParse(Object.fromEntries(given));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new WebDriverError("invalid argument", `${issue?.path.join(".")}: ${issue?.message}`);
    }
    mismatch = findMismatch(parsed.data);
    if (mismatch !== undefined) continue;
    const { "berth:options": options, webSocketUrl: wantsBidi, ...rest } = parsed.data;
    const { api_key: apiKey, ...session } = options;
    return { settings: settingsSchema.parse(rest), apiKey, session, wantsBidi };
  }
  throw new WebDriverError("session not created", mismatch ?? "");
}

function findMismatch({ browserName, platformName, proxy }: Capabilities): string | undefined {
  if (!/^(chrome|chromium)?$/i.test(browserName)) return `browserName: only chrome is available`;
  if (!/^(linux|any)?$/i.test(platformName)) return `platformName: only linux is available`;
  return /^(system|direct)$/.test(proxy.proxyType)
    ? undefined
    : "proxy: give the session a proxy with proxy_id in berth:options";
}

const versionSchema = z.object({
  capabilities: z.object({ browserVersion: z.string(), browserName: z.string(), userAgent: z.string() }),
});

/** @param begun the browser's answer to BiDi's `session.new`. */
export function presentCapabilities(settings: WebDriverSettings, begun: unknown): Record<string, unknown> {
  const { browserName: product, userAgent } = versionSchema.parse(begun).capabilities;
  return {
    ...settings,
    browserName: "chrome",
    browserVersion: product.split("/")[1] ?? "",
    platformName: "linux",
    proxy: {},
    setWindowRect: true,
    strictFileInteractability: false,
    userAgent,
  };
}
