import { z } from "@hono/zod-openapi";
import { countOf, flagOf, textOf } from "../../lib/http/fields.ts";
import { queryInteger } from "../../lib/http/pagination.ts";
import { parseSince, SINCE_FORMATS } from "../../lib/http/parse-since.ts";
import { CATEGORIES } from "./event.ts";

const ENABLED = flagOf("Whether its events are recorded.").optional();

const DESCRIPTIONS = {
  control: "API calls.",
  connection: "DevTools clients and viewers.",
  system: "Crashes and the session's end.",
  captcha: "Accepted for compatibility; there are no such events.",
  console: "Console messages and uncaught errors.",
  network: "Requests and responses.",
  page: "Navigation, loading, tabs, downloads, dialogs and layout.",
  interaction: "Clicks, keys and scrolling.",
  screenshot: "Screenshots after navigations and clicks.",
};

const category = (name: keyof typeof DESCRIPTIONS) =>
  z.object({ enabled: ENABLED }).optional().openapi({ description: DESCRIPTIONS[name] });

const categoriesSchema = z.object({
  control: category("control"),
  connection: category("connection"),
  system: category("system"),
  captcha: category("captcha"),
  console: category("console"),
  network: z
    .object({
      enabled: ENABLED,
      bodies: flagOf("Also record bodies, as text of at most 8 KB. Default: false.").optional(),
    })
    .optional()
    .openapi({ description: DESCRIPTIONS.network }),
  page: category("page"),
  interaction: category("interaction"),
  screenshot: category("screenshot"),
});

const requestShape = z.object({
  enabled: flagOf(
    "true records the categories control, connection, system and captcha, besides the given ones. false records nothing.",
  ).optional(),
  browser: categoriesSchema
    .optional()
    .describe("Categories to switch on or off. If none was on, the others behave as with `enabled: true`."),
});

function refuseContradiction(
  { enabled, browser }: z.infer<typeof requestShape>,
  context: z.RefinementCtx,
): void {
  const given = Object.values(browser ?? {}).some((chosen) => chosen?.enabled !== undefined);
  if (enabled === false && given) {
    context.addIssue({ code: "custom", path: ["browser"], message: "must be absent with enabled: false" });
  }
}

const REQUEST_DOCUMENTATION = {
  description:
    "What is recorded about the session. If absent: navigations, console errors, crashes, dialogs, downloads, connections and " +
    "API calls.",
  example: { enabled: true, browser: { console: { enabled: true }, network: { enabled: true } } },
};

/** The `telemetry` field of requests. */
export const telemetryRequestSchema = requestShape
  .superRefine(refuseContradiction)
  .openapi(REQUEST_DOCUMENTATION);

/** The `telemetry` field of requests that create or change a session. */
export const sessionTelemetryRequestSchema = requestShape
  .extend({
    export: z
      .object({
        otlp: z
          .object({
            destination: textOf(
              'Id or name of an OTLP destination of the organization; "": none.',
              "collector",
            ),
          })
          .optional()
          .describe("Sends the events to an OpenTelemetry endpoint as logs."),
      })
      .optional()
      .describe("Where the events are also sent."),
  })
  .superRefine(refuseContradiction)
  .openapi(REQUEST_DOCUMENTATION);

/** The `telemetry` field of responses. */
export const telemetrySchema = z
  .object({
    browser: categoriesSchema.describe("Every category."),
    export: z
      .object({
        otlp: z
          .object({
            destination: textOf("Id of the OTLP destination.", "d4k7m2x9c5v8b1n3j6h0gfqz"),
          })
          .describe("The OpenTelemetry endpoint."),
      })
      .optional()
      .describe("Where the events are also sent; absent when they are not."),
  })
  .nullable()
  .openapi({
    description: "Which categories are recorded in full; null when none is.",
    example: { browser: { console: { enabled: true } } },
  });

const EVENT_CATEGORIES = [...CATEGORIES, "monitor"] as const;

const DEFAULT_WINDOW = "5m";

/** A time in milliseconds since the epoch. */
const timeSchema = z
  .string()
  .optional()
  .transform((text, context) => {
    const time = text ? parseSince(text, Date.now()) : undefined;
    if (text && time === undefined) context.addIssue({ code: "custom", message: SINCE_FORMATS });
    return time;
  });

export const eventsQuerySchema = z
  .object({
    limit: queryInteger({
      minimum: 1,
      maximum: 1000,
      default: 100,
      description: "Maximum number of events to return.",
    }),
    offset: queryInteger({
      minimum: 1,
      default: undefined,
      description: "X-Next-Offset of the previous page. If set, `since` is ignored.",
    }),
    category: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .transform((given) =>
        given === undefined ? undefined : [given].flat().flatMap((text) => text.split(",")),
      )
      .pipe(z.array(z.enum(EVENT_CATEGORIES)).optional())
      .openapi({
        type: "array",
        items: { type: "string", enum: [...EVENT_CATEGORIES] },
        description: "Return only events of these categories, repeated or separated by commas.",
        param: { required: false },
      }),
    order: z.enum(["asc", "desc"]).default("asc").describe("`asc`: oldest first."),
    since: timeSchema.openapi({
      type: "string",
      example: DEFAULT_WINDOW,
      description: `Earliest time; absent with \`order=asc\`: ${DEFAULT_WINDOW} before now or before the session's end. Not with \`order=desc\`. It ${SINCE_FORMATS}.`,
      param: { required: false },
    }),
    until: timeSchema.openapi({
      type: "string",
      example: "2026-01-02T15:04:05Z",
      description: `End of the time range, exclusive. It ${SINCE_FORMATS}.`,
      param: { required: false },
    }),
  })
  .superRefine(({ order, since }, context) => {
    if (order === "desc" && since !== undefined) {
      context.addIssue({ code: "custom", path: ["since"], message: "must be absent with order=desc" });
    }
  });

export const numberedEventSchema = z
  .object({
    seq: countOf("Ascends within a session; a gap means that events were dropped.", 12),
    event: z
      .object({
        category: z.enum(EVENT_CATEGORIES).openapi({ description: "Kind of event.", example: "console" }),
        type: textOf("What happened.", "console_error"),
        ts: countOf("Microseconds since the epoch.", 1767366245123000),
        source: z
          .object({
            kind: z
              .enum(["cdp", "kernel_api", "extension", "local_process"])
              .openapi({ description: "Who observed it.", example: "cdp" }),
            event: textOf("Name of the DevTools event.", "Runtime.exceptionThrown").optional(),
            metadata: z
              .record(z.string(), z.string())
              .optional()
              .openapi({ description: "Further details of the source.", example: {} }),
          })
          .describe("Where it was observed."),
        data: z
          .record(z.string(), z.unknown())
          .optional()
          .openapi({ description: "Details, by type.", example: { text: "Error: no price" } }),
        truncated: flagOf("Whether `data` was cut.", true).optional(),
      })
      .describe("The event."),
  })
  .openapi("TelemetryEvent");
