import { z } from "@hono/zod-openapi";
import { VIEWPORT_LIST } from "../browser/index.ts";
import { nameSchema } from "../http/names.ts";
import { pageQuerySchema, queryInteger } from "../http/pagination.ts";
import {
  browserShape,
  extensionsSchema,
  parseViewport,
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

const sizeSchema = z
  .int()
  .min(1)
  .openapi({
    description:
      "Number of idle and leased browsers of the pool. The sizes of all pools together are limited by the organization's " +
      "limit of pooled sessions.",
    example: 2,
  });

const fillRateSchema = z
  .int()
  .min(0)
  .max(25)
  .openapi({
    description:
      "Percentage of the pool that is filled per minute. The first browser is launched at once, the others evenly; " +
      "0 pauses filling. For small pools this is slow: at 10, a pool of 2 gets its second browser after 5 minutes.",
  });

const timeoutSchema = z.int().min(60).max(86_400).openapi({
  description: "Seconds of inactivity after which an acquired browser is ended and replaced.",
  example: 600,
});

const PROFILE_DESCRIPTION =
  "The profile that each browser starts with. Pools do not save profiles: save_changes is stored but has no effect.";

const poolNameSchema = z.union([z.literal(""), nameSchema]);

export const createPoolBodySchema = z
  .object({
    size: sizeSchema,
    name: poolNameSchema.optional().openapi({
      description: "Unique among the organization's pools. Empty or absent: no name.",
      example: "warm",
    }),
    fill_rate_per_minute: fillRateSchema.default(10),
    timeout_seconds: timeoutSchema.default(600),
    ...browserShape,
    start_url: z
      .union([z.literal(""), startURLSchema])
      .optional()
      .openapi({ description: "Opened in each browser after its launch, best effort." }),
    profile: profileSelectionSchema.optional().openapi({ description: PROFILE_DESCRIPTION }),
    proxy_id: proxyIdSchema.optional(),
    telemetry: telemetryRequestSchema.nullish(),
  })
  .openapi("CreateBrowserPool", { example: { name: "warm", size: 2, fill_rate_per_minute: 25 } });

export type CreatePoolBody = z.infer<typeof createPoolBodySchema>;

export const updatePoolBodySchema = z
  .object({
    size: sizeSchema,
    name: poolNameSchema.optional().openapi({
      description: "Unique among the organization's pools. Empty or absent keeps the name.",
      example: "warm",
    }),
    fill_rate_per_minute: fillRateSchema.optional(),
    timeout_seconds: timeoutSchema.optional(),
    headless: z.boolean().optional().openapi({ description: "Run without a live view.", example: false }),
    stealth: z
      .boolean()
      .optional()
      .openapi({ description: "Reduce the signs of an automated browser.", example: true }),
    kiosk_mode: z
      .boolean()
      .optional()
      .openapi({ description: "Hide the address bar and tabs in the live view.", example: false }),
    viewport: viewportShape
      .transform(parseViewport)
      .optional()
      .openapi({ description: `One of ${VIEWPORT_LIST}.`, example: { width: 1440, height: 900 } }),
    start_url: z
      .union([z.literal(""), startURLSchema])
      .optional()
      .openapi({ description: '"" removes it.' }),
    profile: profileSelectionSchema
      .optional()
      .openapi({ description: `${PROFILE_DESCRIPTION} {"id": ""} removes it.` }),
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
    force: z.boolean().default(false).openapi({ description: "Also end leased browsers." }),
  })
  .openapi("DeleteBrowserPool", { example: { force: true } });

export const acquireBodySchema = z
  .object({
    acquire_timeout_seconds: z
      .int()
      .min(0)
      .optional()
      .openapi({
        description:
          "Maximum wait for a browser, in seconds. Default and maximum: 50 seconds, or up to 90 for callers that send " +
          "X-Stainless-Timeout.",
        example: 30,
      }),
    name: nameSchema.optional().openapi({
      description: "Name of the session, unique among the organization's active sessions.",
      example: "checkout",
    }),
    tags: tagsSchema.default({}),
    start_url: startURLSchema
      .optional()
      .openapi({ description: "Opened in the front tab, best effort. If absent, the tab stays as it is." }),
    telemetry: telemetryRequestSchema.nullish(),
    record: recordSchema.openapi({
      description: "Record the session as a video until it is released. Default: as the pool.",
      example: true,
    }),
  })
  .openapi("AcquireBrowser", {
    description: "Name, tags, start URL, telemetry and recording apply until the session is released.",
  });

export type AcquireBody = z.infer<typeof acquireBodySchema>;

export const acquireHeadersSchema = z.object({
  "X-Stainless-Timeout": z
    .string()
    .optional()
    .openapi({ description: "The caller's own time-out in seconds, as the Kernel SDK sends it." }),
});

export const releaseBodySchema = z
  .object({
    session_id: z.string().openapi({
      description: "Id of a session that was acquired from this pool.",
      example: "htzv5orfit78e1m2biiifpbv",
    }),
    reuse: z.boolean().default(true).openapi({
      description:
        "true keeps the browser, with its tabs and cookies, for the next caller; false replaces it.",
    }),
  })
  .openapi("ReleaseBrowser", { example: { session_id: "htzv5orfit78e1m2biiifpbv" } });

export const poolParamSchema = z.object({
  id_or_name: z.string().openapi({ description: "The pool's id or name." }),
});

export const poolListQuerySchema = z.object({
  name: z.string().optional().openapi({ description: "Exact name." }),
  query: z.string().optional().openapi({ description: "Part of a name, case-insensitive, or a pool's id." }),
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
    id: z.string().openapi({ description: "Id of the pool.", example: "b0l7cmhhb3rrh2c4r1z0m7qe" }),
    name: z
      .string()
      .optional()
      .openapi({ description: "Its name; absent when it has none.", example: "warm" }),
    created_at: z.iso
      .datetime()
      .openapi({ description: "When it was created.", example: "2026-01-02T15:04:05.123Z" }),
    available_count: z.int().openapi({ description: "Idle browsers that can be acquired.", example: 1 }),
    acquired_count: z.int().openapi({ description: "Browsers that are currently acquired.", example: 1 }),
    last_error: z
      .object({
        message: z.string().openapi({
          description: "Why the launch failed.",
          example: "The browser did not start in time",
        }),
        at: z.iso
          .datetime()
          .openapi({ description: "When the launch failed.", example: "2026-01-02T15:04:05.123Z" }),
      })
      .optional()
      .openapi({ description: "Why the last launch failed; absent once a launch succeeds." }),
    browser_pool_config: z
      .object({
        size: z.int().openapi({ description: "Number of browsers of the pool.", example: 2 }),
        name: z
          .string()
          .optional()
          .openapi({ description: "Name of the pool; absent when it has none.", example: "warm" }),
        fill_rate_per_minute: z.int().openapi({
          description: "Percentage of the pool that is filled per minute, from 0 to 25.",
          example: 10,
        }),
        timeout_seconds: z.int().openapi({
          description: "Seconds of inactivity after which an acquired browser is ended and replaced.",
          example: 600,
        }),
        headless: z
          .boolean()
          .openapi({ description: "Whether browsers run without a live view.", example: false }),
        stealth: z
          .boolean()
          .openapi({ description: "Whether signs of automation are reduced.", example: false }),
        kiosk_mode: z.boolean().openapi({
          description: "Whether the live view hides the address bar and tabs.",
          example: false,
        }),
        viewport: viewportShape.openapi({ description: "Size of the browsers' windows." }),
        start_url: z.string().optional().openapi({
          description: "URL that each browser opens when it is launched; absent when there is none.",
          example: "https://example.com",
        }),
        extensions: z
          .array(
            z.object({
              id: z
                .string()
                .optional()
                .openapi({ description: "Id of the extension, if it was selected by id." }),
              name: z
                .string()
                .optional()
                .openapi({ description: "Name of the extension, if it was selected by name." }),
            }),
          )
          .openapi({
            description: "Extensions of each browser, as selected.",
            example: [{ name: "blocker" }],
          }),
        proxy_id: z.string().optional().openapi({
          description: "Id of the proxy that traffic goes through; absent when there is none.",
          example: "p0m3q9x7c2v5b8n1k4j6h0gd",
        }),
        profile: z
          .object({
            id: z
              .string()
              .optional()
              .openapi({ description: "Id of the profile, if it was selected by id." }),
            name: z
              .string()
              .optional()
              .openapi({ description: "Name of the profile, if it was selected by name." }),
            save_changes: z
              .boolean()
              .optional()
              .openapi({ description: "As given; pools do not save profiles." }),
          })
          .optional()
          .openapi({
            description: "Profile that each browser starts with; absent when there is none.",
            example: { name: "shop" },
          }),
        telemetry: telemetrySchema,
        record: z.boolean().openapi({ description: "Whether each lease is recorded.", example: false }),
        region: regionSchema
          .optional()
          .openapi({ description: "The region that its browsers run in; absent when none was given." }),
      })
      .openapi({ description: "Configuration of the pool's browsers." }),
    extension_ids: z.array(z.string()).openapi({
      description: "Ids of the extensions in browser_pool_config.",
      example: ["x2pqk5u9n0wq7c4s1d8e6r3t"],
    }),
    profile_id: z.string().optional().openapi({
      description: "Id of the profile in browser_pool_config; absent when there is none.",
      example: "r3t7y1u5i9o2p6a0s4d8f1gh",
    }),
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
      timeout_seconds: pool.timeoutSeconds,
      headless: pool.headless,
      stealth: pool.stealth,
      kiosk_mode: pool.kioskMode,
      viewport: {
        width: pool.viewportWidth,
        height: pool.viewportHeight,
        refresh_rate: pool.viewportRefreshRate,
      },
      start_url: pool.startURL ?? undefined,
      extensions: pool.extensions,
      proxy_id: pool.proxyId ?? undefined,
      profile: pool.profile ?? undefined,
      telemetry: presentConfig(pool.telemetry ?? DEFAULT_CONFIG),
      record: pool.record,
      region: pool.region ?? undefined,
    },
    extension_ids: pool.extensionIds,
    profile_id: pool.profileId ?? undefined,
  };
}
