import { z } from "zod";
import { describeProblem } from "../../../lib/common/errors.ts";
import { toProblem } from "../../../lib/http/issue-messages.ts";
import { WebDriverError } from "./errors.ts";

const timeoutSchema = z.int().min(0).nullable();

/** Milliseconds; null: no limit. */
export const timeoutsSchema = z
  .object({ script: timeoutSchema, pageLoad: timeoutSchema, implicit: z.int().min(0) })
  .partial();

const DEFAULT_TIMEOUTS = { script: 30_000, pageLoad: 300_000, implicit: 0 };

const promptBehaviorSchema = z.enum([
  "accept",
  "accept and notify",
  "dismiss",
  "dismiss and notify",
  "ignore",
]);
const promptTypeSchema = z.enum(["alert", "beforeUnload", "confirm", "default", "file", "prompt"]);

const DEFAULT_PROMPT_BEHAVIOR = "dismiss and notify";

const settingsSchema = z.object({
  acceptInsecureCerts: z.boolean().default(false),
  pageLoadStrategy: z.enum(["none", "eager", "normal"]).default("normal"),
  unhandledPromptBehavior: z
    .union([promptBehaviorSchema, z.partialRecord(promptTypeSchema, promptBehaviorSchema)])
    .optional(),
  timeouts: timeoutsSchema
    .default({})
    .transform((given): Required<typeof given> => ({ ...DEFAULT_TIMEOUTS, ...given })),
});

/** What a client asks of its WebDriver session, apart from the browser. */
export type WebDriverSettings = z.infer<typeof settingsSchema>;

type PromptBehaviors = WebDriverSettings["unhandledPromptBehavior"];

/** @param type such as `alert`. @see https://w3c.github.io/webdriver/#dfn-get-the-prompt-handler */
export function promptBehavior(given: PromptBehaviors, type: string) {
  const isBeforeUnload = type === "beforeUnload";
  if (typeof given !== "object") return isBeforeUnload ? "accept" : (given ?? DEFAULT_PROMPT_BEHAVIOR);
  const { data = "default" } = promptTypeSchema.safeParse(type);
  return given[data] ?? given.default ?? (isBeforeUnload ? "accept" : DEFAULT_PROMPT_BEHAVIOR);
}

/** What BiDi does with prompts. Its behaviors notify nobody. */
export function bidiPromptBehavior(given: PromptBehaviors): Record<string, string> {
  const handlers = typeof given === "object" ? given : { default: given ?? "ignore", beforeUnload: "accept" };
  return Object.fromEntries(
    Object.entries(handlers).map(([type, handler]) => [type, handler.replace(" and notify", "")]),
  );
}

/** Capabilities of other vendors are ignored. */
const capabilitiesSchema = z.object({
  browserName: z.string().default("chrome"),
  platformName: z.string().default("linux"),
  proxy: z.looseObject({ proxyType: z.string().default("system") }).prefault({}),
  webSocketUrl: z.boolean().default(false),
  "berth:options": z.looseObject({ api_key: z.string().optional() }).prefault({}),
});

const recordSchema = z.record(z.string(), z.unknown());

const newSessionSchema = z.object({
  capabilities: z.object({
    alwaysMatch: recordSchema.default({}),
    firstMatch: z.array(recordSchema).min(1, "must not be empty").max(100).default([{}]),
  }),
});

/**
 * @param body that of `POST /session`.
 * @returns also the API key, if it is in the capabilities, and the properties of the Berth session.
 * @throws WebDriverError `invalid argument`, or `session not created` when the service has no such browser.
 */
export function selectCapabilities(body: unknown) {
  const { alwaysMatch, firstMatch } = parse(newSessionSchema, body).capabilities;
  let mismatch = "";
  for (const first of firstMatch) {
    const twice = Object.keys(first).find((name) => Object.hasOwn(alwaysMatch, name));
    if (twice !== undefined)
      throw new WebDriverError("invalid argument", `${twice}: is in alwaysMatch and firstMatch`);
    const given = Object.entries({ ...alwaysMatch, ...first }).filter(([, value]) => value !== null);
    const settings = parse(settingsSchema, Object.fromEntries(given));
    const capabilities = parse(capabilitiesSchema, Object.fromEntries(given));
    mismatch = findMismatch(capabilities);
    const { api_key: apiKey, ...session } = capabilities["berth:options"];
    if (mismatch === "") return { settings, apiKey, session, wantsBidi: capabilities.webSocketUrl };
  }
  throw new WebDriverError("session not created", mismatch);
}

/** @throws WebDriverError `invalid argument`, with the name of the field. */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(toProblem);
  throw new WebDriverError("invalid argument", problems.map(describeProblem).join("; "));
}

function findMismatch({ browserName, platformName, proxy }: z.infer<typeof capabilitiesSchema>): string {
  if (!/^(chrome|chromium)?$/i.test(browserName)) return "browserName: only chrome is available";
  if (!/^(linux|any)?$/i.test(platformName)) return "platformName: only linux is available";
  if (/^(system|direct)$/.test(proxy.proxyType)) return "";
  return "proxy: give the session a proxy with proxy_id in berth:options";
}

const begunSchema = z.object({ capabilities: z.object({ browserName: z.string(), userAgent: z.string() }) });

/** @param begun the browser's answer to BiDi's `session.new`. */
export function presentCapabilities(settings: WebDriverSettings, begun: unknown): Record<string, unknown> {
  const { browserName: product, userAgent } = begunSchema.parse(begun).capabilities;
  const browser = { browserName: "chrome", browserVersion: product.split("/")[1], platformName: "linux" };
  return {
    unhandledPromptBehavior: DEFAULT_PROMPT_BEHAVIOR,
    ...settings,
    ...browser,
    userAgent,
    proxy: {},
    setWindowRect: true,
    strictFileInteractability: false,
  };
}
