import { z } from "@hono/zod-openapi";
import { countOf, flagOf, textOf, timeOf } from "../../lib/http/fields.ts";
import { nameSchema } from "../../lib/http/names.ts";
import { pageQuerySchema, queryInteger } from "../../lib/http/pagination.ts";
import { VIEWPORT_LIST } from "../../platform/browser/index.ts";
import {
  browserShape,
  changedFlags,
  extensionsSchema,
  machineSchema,
  parseViewport,
  presentedFlags,
  presentOptions,
  profileSelectionSchema,
  proxyIdSchema,
  recordSchema,
  regionSchema,
  startURLSchema,
  tagsSchema,
  viewportShape,
} from "../sessions/index.ts";
import {
  DEFAULT_CONFIG,
  presentConfig,
  telemetryRequestSchema,
  telemetrySchema,
} from "../telemetry/index.ts";
import type { CountedPool } from "./store.ts";

const sizeSchema = countOf(
  "Number of idle and leased browsers of the pool. The sizes of all pools together are limited by the organization's " +
    "limit of pooled sessions.",
  2,
).min(1);

const fillRateSchema = countOf(
  "Percentage of the pool that is filled per minute. The first browser is launched at once, the others evenly; " +
    "0 pauses filling. For small pools this is slow: at 10, a pool of 2 gets its second browser after 5 minutes.",
)
  .min(0)
  .max(25);

const timeoutSchema = countOf(
  "Seconds of inactivity after which an acquired browser is ended and replaced.",
  600,
)
  .min(60)
  .max(86_400);

const PROFILE_DESCRIPTION =
  "The profile that each browser starts with. Pools do not save profiles: save_changes is stored but has no effect.";

const poolNameSchema = z.union([z.literal(""), nameSchema]);

export const createPoolBodySchema = z
  .object({
    size: sizeSchema,
    name: poolNameSchema.optional().openapi({
      description: "Unique among the project's pools. Empty or absent: no name.",
      example: "warm",
    }),
    fill_rate_per_minute: fillRateSchema.default(10),
    timeout_seconds: timeoutSchema.default(600),
    ...browserShape,
    start_url: z
      .union([z.literal(""), startURLSchema])
      .optional()
      .describe("Opened in each browser after its launch, best effort."),
    profile: profileSelectionSchema.optional().openapi({ description: PROFILE_DESCRIPTION }),
    proxy_id: proxyIdSchema.optional(),
    telemetry: telemetryRequestSchema.nullish(),
  })
  .openapi({ example: { name: "warm", size: 2, fill_rate_per_minute: 25 } });

export type CreatePoolBody = z.infer<typeof createPoolBodySchema>;

export const updatePoolBodySchema = z
  .object({
    size: sizeSchema,
    name: poolNameSchema.optional().openapi({
      description: "Unique among the project's pools. Empty or absent keeps the name.",
      example: "warm",
    }),
    fill_rate_per_minute: fillRateSchema.optional(),
    timeout_seconds: timeoutSchema.optional(),
    ...changedFlags,
    viewport: viewportShape
      .transform(parseViewport)
      .optional()
      .openapi({ description: `One of ${VIEWPORT_LIST}.`, example: { width: 1440, height: 900 } }),
    start_url: z
      .union([z.literal(""), startURLSchema])
      .optional()
      .describe('"" removes it.'),
    profile: profileSelectionSchema.optional().describe(`${PROFILE_DESCRIPTION} {"id": ""} removes it.`),
    proxy_id: proxyIdSchema.optional(),
    extensions: extensionsSchema.optional().openapi({
      description: "Extensions of each browser, at most 20. An empty list removes them.",
      example: [{ name: "blocker" }],
    }),
    telemetry: telemetryRequestSchema.nullish(),
    record: recordSchema.openapi({
      description: "Record each lease from now on as a video. Not for headless browsers.",
      example: true,
    }),
    machine: machineSchema.optional().describe("For browsers that are launched from now on."),
    discard_all_idle: z
      .boolean()
      .optional()
      .transform((discards) => discards ?? false)
      .openapi({
        description: "End and replace every idle browser, regardless of the fill rate. Default: false.",
        example: true,
      }),
  })
  .openapi("UpdateBrowserPool", {
    description: "An absent field keeps its value. Existing browsers keep their configuration.",
    example: { size: 3 },
  });

export type UpdatePoolBody = z.infer<typeof updatePoolBodySchema>;

export const deletePoolBodySchema = z
  .object({
    force: flagOf("Also end leased browsers.").default(false),
  })
  .openapi({ example: { force: true } });

export const acquireBodySchema = z
  .object({
    acquire_timeout_seconds: countOf(
      "Maximum wait for a browser, in seconds. Default and maximum: 50 seconds, or up to 90 for callers that send " +
        "X-Stainless-Timeout.",
      30,
    )
      .min(0)
      .optional(),
    name: nameSchema.optional().openapi({
      description: "Name of the session, unique among the project's active sessions.",
      example: "checkout",
    }),
    tags: tagsSchema.default({}),
    start_url: startURLSchema
      .optional()
      .describe("Opened in the front tab, best effort. If absent, the tab stays as it is."),
    telemetry: telemetryRequestSchema.nullish(),
    record: recordSchema.openapi({
      description: "Record the session as a video until it is released. Default: the pool's setting.",
    }),
  })
  .openapi({ example: { acquire_timeout_seconds: 30, name: "checkout" } })
  .openapi({
    description: "Name, tags, start URL, telemetry and recording apply until the session is released.",
  });

export type AcquireBody = z.infer<typeof acquireBodySchema>;

export const acquireHeadersSchema = z.object({
  "X-Stainless-Timeout": textOf(
    "The caller's own time-out in seconds, as the Kernel SDK sends it.",
  ).optional(),
});

export const releaseBodySchema = z
  .object({
    session_id: textOf("Id of a session that was acquired from this pool.", "htzv5orfit78e1m2biiifpbv"),
    reuse: flagOf(
      "true keeps the browser, with its tabs and cookies, for the next caller; false replaces it.",
    ).default(true),
  })
  .openapi({ example: { session_id: "htzv5orfit78e1m2biiifpbv" } });

export const poolParamSchema = z.object({
  id_or_name: textOf("The pool's id or name."),
});

export const poolListQuerySchema = z.object({
  name: textOf("Exact name.").optional(),
  query: textOf("Part of a name, case-insensitive, or a pool's id.").optional(),
  limit: queryInteger({
    minimum: 1,
    maximum: 100,
    default: undefined,
    description: "Maximum number of results to return; all pools when absent.",
  }),
  offset: pageQuerySchema.shape.offset,
});

export const poolSchema = z
  .object({
    id: textOf("Id of the pool.", "b0l7cmhhb3rrh2c4r1z0m7qe"),
    name: textOf("Its name; absent when it has none.", "warm").optional(),
    created_at: timeOf("When it was created."),
    available_count: countOf("Idle browsers that can be acquired.", 1),
    acquired_count: countOf("Browsers that are currently acquired.", 1),
    last_error: z
      .object({
        message: textOf("Why the launch failed.", "The browser did not start in time"),
        at: timeOf("When the launch failed."),
      })
      .optional()
      .describe("Why the last launch failed; absent once a launch succeeds."),
    browser_pool_config: z
      .object({
        size: countOf("Number of browsers of the pool.", 2),
        name: textOf("Name of the pool; absent when it has none.", "warm").optional(),
        fill_rate_per_minute: countOf("Percentage of the pool that is filled per minute, from 0 to 25.", 10),
        timeout_seconds: countOf(
          "Seconds of inactivity after which an acquired browser is ended and replaced.",
          600,
        ),
        ...presentedFlags,
        viewport: viewportShape.describe("Size of the browsers' windows."),
        start_url: textOf(
          "URL that each browser opens when it is launched; absent when there is none.",
          "https://example.com",
        ).optional(),
        extensions: z
          .array(
            z.object({
              id: textOf("Id of the extension, if it was selected by id.").optional(),
              name: textOf("Name of the extension, if it was selected by name.").optional(),
            }),
          )
          .openapi({
            description: "Extensions of each browser, as selected.",
            example: [{ name: "blocker" }],
          }),
        proxy_id: textOf(
          "Id of the proxy that traffic goes through; absent when there is none.",
          "p0m3q9x7c2v5b8n1k4j6h0gd",
        ).optional(),
        profile: z
          .object({
            id: textOf("Id of the profile, if it was selected by id.").optional(),
            name: textOf("Name of the profile, if it was selected by name.").optional(),
            save_changes: flagOf("As given; pools do not save profiles.").optional(),
          })
          .optional()
          .openapi({
            description: "Profile that each browser starts with; absent when there is none.",
            example: { name: "shop" },
          }),
        telemetry: telemetrySchema,
        record: flagOf("Whether each lease is recorded.", false),
        region: regionSchema
          .optional()
          .describe("The region that its browsers run in; absent when none was given."),
        machine: machineSchema.describe("What runs commands and keeps files of its sessions."),
      })
      .describe("Configuration of the pool's browsers."),
    extension_ids: z.array(z.string()).openapi({
      description: "Ids of the extensions in browser_pool_config.",
      example: ["x2pqk5u9n0wq7c4s1d8e6r3t"],
    }),
    profile_id: textOf(
      "Id of the profile in browser_pool_config; absent when there is none.",
      "r3t7y1u5i9o2p6a0s4d8f1gh",
    ).optional(),
  })
  .openapi("BrowserPool", {
    example: {
      id: "b0l7cmhhb3rrh2c4r1z0m7qe",
      name: "warm",
      created_at: "2026-01-02T15:04:05.123Z",
      available_count: 1,
      acquired_count: 1,
      browser_pool_config: {
        size: 2,
        name: "warm",
        fill_rate_per_minute: 25,
        timeout_seconds: 600,
        headless: false,
        stealth: false,
        kiosk_mode: false,
        viewport: { width: 1920, height: 1080, refresh_rate: 25 },
        telemetry: null,
        record: false,
        machine: "simulated",
        extensions: [{ name: "blocker" }],
      },
      extension_ids: ["x2pqk5u9n0wq7c4s1d8e6r3t"],
    },
  });

export type PoolBody = z.infer<typeof poolSchema>;

export function presentPool(pool: CountedPool): PoolBody {
  const name = pool.name ?? undefined;
  return {
    id: pool.id,
    name,
    created_at: new Date(pool.createdAt).toISOString(),
    available_count: pool.available,
    acquired_count: pool.acquired,
    last_error:
      pool.lastError === null || pool.lastErrorAt === null
        ? undefined
        : { message: pool.lastError, at: new Date(pool.lastErrorAt).toISOString() },
    browser_pool_config: {
      size: pool.size,
      name,
      fill_rate_per_minute: pool.fillRatePerMinute,
      ...presentOptions(pool),
      extensions: pool.extensions,
      profile: pool.profile ?? undefined,
      telemetry: presentConfig(pool.telemetry ?? DEFAULT_CONFIG),
    },
    extension_ids: pool.extensionIds,
    profile_id: pool.profileId ?? undefined,
  };
}
