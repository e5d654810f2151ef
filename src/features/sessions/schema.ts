import { z } from "@hono/zod-openapi";
import { MACHINES } from "../../lib/common/machines.ts";
import { REGION_NAMES, REGIONS, toRegion } from "../../lib/common/region-names.ts";
import { countOf, flagOf, textOf } from "../../lib/http/fields.ts";
import { nameSchema } from "../../lib/http/names.ts";
import { pageQuerySchema, queryBoolean } from "../../lib/http/pagination.ts";
import {
  ANY_VIEWPORT,
  DEFAULT_VIEWPORT,
  findAnyViewport,
  findViewport,
  mayOpen,
  VIEWPORT_LIST,
} from "../../platform/browser/index.ts";
import { sessionTelemetryRequestSchema } from "../telemetry/index.ts";

const MAX_TAGS = 50;
const NAVIGABLE = new Set(["http:", "https:", "about:", "data:"]);

export const viewportShape = z.object({
  width: countOf("Width in pixels.", 1920),
  height: countOf("Height in pixels.", 1080),
  refresh_rate: z
    .int()
    .optional()
    .openapi({ example: 25, description: "Refresh rate in hertz. Set from width and height when omitted." }),
});

const NOT_SUPPORTED = `is not supported; supported are ${VIEWPORT_LIST}`;

/** Fills in the refresh rate and reports unsupported viewports. */
export function parseViewport(given: z.infer<typeof viewportShape>, context: z.RefinementCtx) {
  const viewport = findViewport(given.width, given.height, given.refresh_rate);
  if (viewport !== undefined) return viewport;
  context.addIssue({ code: "custom", message: NOT_SUPPORTED });
  return z.NEVER;
}

const viewportSchema = viewportShape
  .transform(parseViewport)
  .openapi({ description: `One of ${VIEWPORT_LIST}.`, example: { width: 1440, height: 900 } });

export const tagsSchema = z
  .record(z.string().min(1).max(255), z.string().max(255))
  .refine((tags) => Object.keys(tags).length <= MAX_TAGS, `must have at most ${MAX_TAGS} entries`)
  .openapi({ description: "Labels, at most 50.", example: { team: "backend" } });

export const startURLSchema = z
  .string()
  .max(2048, "must have at most 2048 characters")
  .refine(
    (text) => NAVIGABLE.has(URL.parse(text)?.protocol ?? "") && mayOpen(text),
    "must be an http, https or data URL, or about:blank",
  )
  .openapi({ description: "Opened in the first tab, best effort.", example: "https://example.com" });

const EITHER_ID_OR_NAME = "give either id or name";

const selectionShape = {
  id: textOf("Its id. Set either id or name.").optional(),
  name: textOf("Its name. Set either id or name.").optional(),
};

function hasIdOrName(selection: { id?: string; name?: string }): boolean {
  return (selection.id === undefined) !== (selection.name === undefined);
}

export const profileSelectionSchema = z
  .object({
    ...selectionShape,
    save_changes: flagOf("Save the profile when the session ends.").optional(),
  })
  .refine(hasIdOrName, { message: EITHER_ID_OR_NAME, abort: true })
  .openapi({
    description: "Profile with the initial cookies, localStorage and IndexedDB.",
    example: { name: "shop" },
  });

export const proxyIdSchema = textOf('Proxy for all traffic; "": none.', "p0m3q9x7c2v5b8n1k4j6h0gd");

export const extensionsSchema = z
  .array(z.object(selectionShape).refine(hasIdOrName, { message: EITHER_ID_OR_NAME, abort: true }))
  .max(20, "must have at most 20 items");

export const regionSchema = z.enum(REGIONS).openapi({ example: "weur" });

const regionNameSchema = z
  .enum(REGION_NAMES)
  .transform(toRegion)
  .openapi({
    description:
      "Where the browsers run, best effort: North America `wnam`, `enam`; South America `sam`; Europe `weur`, `eeur`; " +
      "Asia-Pacific `apac`, its north-east `apac-ne`, its south-east `apac-se`; Oceania `oc`; Africa `afr`; Middle East " +
      "`me`. Kernel's names stand for `wnam` (`us-west`), `enam` (`us-east`), `weur` (`eu-west`) and `apac-se` " +
      "(`ap-southeast`), which responses have. Default: near the caller.",
    example: "weur",
  });

export const machineSchema = z.enum(MACHINES).openapi({ example: "linux" });

const machineChoice = machineSchema
  .optional()
  .describe(
    "What runs commands and keeps files: `simulated`, or `linux`, a sandbox on a session host. Default: the setting " +
      "`MACHINE`.",
  );

export const recordSchema = z.boolean().optional();

const flags = {
  headless: flagOf("Run without a live view.", false),
  stealth: flagOf("Reduce the signs of an automated browser.", true),
  kiosk_mode: flagOf("Hide the address bar and tabs in the live view.", false),
};

export const changedFlags = z.object(flags).partial().shape;

export const presentedFlags = {
  headless: flagOf("Whether it runs without a live view.", false),
  stealth: flagOf("Whether signs of automation are reduced.", false),
  kiosk_mode: flagOf("Whether the live view hides the address bar and tabs.", false),
};

export const browserShape = {
  headless: flags.headless.default(false),
  stealth: flags.stealth.default(false),
  kiosk_mode: flags.kiosk_mode.default(false),
  viewport: viewportSchema
    .default(DEFAULT_VIEWPORT)
    .openapi({ default: { width: 1920, height: 1080, refresh_rate: 25 } }),
  extensions: extensionsSchema
    .optional()
    .openapi({ description: "Uploaded extensions to run, at most 20.", example: [{ name: "blocker" }] }),
  record: recordSchema.openapi({
    description:
      "Record each session from start to end as a video. Not for headless sessions. Default: false.",
    example: true,
  }),
  region: regionNameSchema.optional(),
  machine: machineChoice,
};

const requestedViewportSchema = z.object({
  viewport: viewportShape,
  viewport_mode: z.enum(["supported", "any"]),
});

function findRequestedViewport({ viewport, viewport_mode }: z.infer<typeof requestedViewportSchema>) {
  const find = viewport_mode === "any" ? findAnyViewport : findViewport;
  return find(viewport.width, viewport.height, viewport.refresh_rate);
}

function isAnyViewport(body: unknown): boolean {
  return requestedViewportSchema.safeParse(body).data?.viewport_mode === "any";
}

export const createSessionBodySchema = z
  .object({
    ...browserShape,
    viewport: viewportShape.default({ width: 1920, height: 1080 }).openapi({
      description: `One of ${VIEWPORT_LIST}; with viewport_mode \`any\`, ${ANY_VIEWPORT}.`,
      example: { width: 1440, height: 900 },
    }),
    viewport_mode: requestedViewportSchema.shape.viewport_mode
      .default("supported")
      .describe("Whether the viewport must be one of the supported ones."),
    timeout_seconds: countOf("Seconds of inactivity after which the session ends.")
      .min(10)
      .max(259_200)
      .default(60),
    name: nameSchema.optional().describe("Unique among the project's active sessions."),
    tags: tagsSchema.default({}),
    start_url: startURLSchema.optional(),
    persistence: z
      .object({
        id: textOf("Any text that identifies the persistent session.", "shop-login")
          .min(1, "must not be empty")
          .max(255, "must have at most 255 characters"),
      })
      .optional()
      .openapi({
        deprecated: true,
        description: "An id in use returns its session unchanged. Use timeout_seconds.",
      }),
    profile: profileSelectionSchema.optional(),
    proxy_id: proxyIdSchema.optional(),
    telemetry: sessionTelemetryRequestSchema.nullish(),
    invocation_id: textOf(
      "An unfinished invocation that the session ends with. For the key of a run, its own invocation.",
      "rr33xuugxj9h0bkf1rdt2bet",
    ).optional(),
  })
  .refine((body) => findRequestedViewport(body) !== undefined, {
    path: ["viewport"],
    error: ({ input }) => (isAnyViewport(input) ? `must have ${ANY_VIEWPORT}` : NOT_SUPPORTED),
    // Other invalid fields are reported beside it.
    when: ({ value }) => requestedViewportSchema.safeParse(value).success,
  })
  .transform(({ viewport_mode, ...body }) => ({
    ...body,
    viewport: findRequestedViewport({ ...body, viewport_mode }) ?? z.NEVER,
  }))
  .openapi({
    example: {
      name: "first",
      timeout_seconds: 300,
      viewport: { width: 1440, height: 900 },
      tags: { team: "backend" },
    },
  });

export type CreateSessionBody = z.infer<typeof createSessionBodySchema>;

/** The fields that a session and a pool have as columns. */
export type OptionFields = Pick<
  CreateSessionBody,
  keyof typeof flags | "timeout_seconds" | "viewport" | "start_url" | "record" | "region"
>;

export type OptionChange = Partial<Omit<OptionFields, "region">>;

export const updateSessionBodySchema = z
  .object({
    name: z
      .union([z.literal(""), nameSchema])
      .optional()
      .describe('"" removes it; absent keeps it.'),
    tags: tagsSchema.nullish().describe("Replaces all tags; null or absent keeps them."),
    profile: profileSelectionSchema
      .optional()
      .describe("Added to the current state; answers 409 if a profile was loaded before."),
    proxy_id: proxyIdSchema
      .nullish()
      .describe(
        '"" removes it; null or absent keeps it. Cookies, storage and the URLs of tabs are kept. Pages are reloaded ' +
          "and contexts created by clients are closed.",
      ),
    telemetry: sessionTelemetryRequestSchema.nullish(),
    viewport: viewportShape
      .extend({
        force: z
          .boolean()
          .optional()
          .transform((force) => force ?? false)
          .describe("Resize even while somebody is watching the live view. Default: false."),
      })
      .transform(({ force, ...given }, context) => ({ force, size: parseViewport(given, context) }))
      .optional()
      .openapi({
        description: `Resizes the session's windows to one of ${VIEWPORT_LIST}.`,
        example: { width: 1440, height: 900 },
      }),
  })
  .openapi("UpdateBrowserSession", {
    example: { name: "second", tags: { team: "frontend" }, viewport: { width: 1440, height: 900 } },
  });

export type UpdateSessionBody = z.infer<typeof updateSessionBodySchema>;

export const sessionListQuerySchema = pageQuerySchema.extend({
  status: z.enum(["active", "deleted", "all"]).optional().openapi({
    default: "active",
    description: "Which sessions to return: active ones, ended ones (`deleted`), or both.",
  }),
  include_deleted: queryBoolean({
    default: false,
    description: "Use status=all. When true, ended sessions are returned as well.",
    deprecated: true,
  }).openapi({ param: { deprecated: true } }),
  query: textOf("Part of a name, case-insensitive, or the id of a session, proxy or profile.").optional(),
  invocation_id: z
    .string()
    .optional()
    .openapi({ description: "Return only sessions of this invocation.", param: { required: false } }),
  pool_id: textOf("Return only sessions of the pool with this id.").optional(),
  proxy_id: textOf("Return only sessions with the proxy of this id.").optional(),
  profile_id: textOf("Return only sessions with the profile of this id.").optional(),
  api_key_id: textOf("Return only sessions that the API key with this id created or acquired.").optional(),
  tags: z
    .record(z.string(), z.string())
    .optional()
    .openapi({
      param: { style: "deepObject", explode: true },
      example: {},
      description: "Return only sessions with all of these tags, given as tags[key]=value.",
    }),
});

export type SessionListQuery = z.infer<typeof sessionListQuerySchema>;

export const getSessionQuerySchema = z.object({
  include_deleted: queryBoolean({ default: false, description: "Find ended sessions too." }),
});

export const persistentIdQuerySchema = z.object({
  persistent_id: z.string().min(1, "must not be empty").describe("The `persistence.id` of the session."),
});

export const idOrNameParamSchema = z.object({
  id_or_name: textOf("The session's id, or the name of an active one."),
});
