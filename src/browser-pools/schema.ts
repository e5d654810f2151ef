import { z } from "@hono/zod-openapi";
import { VIEWPORT_LIST, type Viewport } from "../browser/index.ts";
import { nameSchema } from "../http/names.ts";
import { pageQuerySchema, queryInteger } from "../http/pagination.ts";
import {
  browserShape,
  extensionsSchema,
  profileSelectionSchema,
  proxyIdSchema,
  readViewport,
  type SelectedReferences,
  startURLSchema,
  tagsSchema,
  viewportShape,
} from "../sessions/index.ts";
import type { CountedPool, PoolChange } from "./store.ts";

const sizeSchema = z
  .int()
  .min(1)
  .openapi({
    description:
      "Browsers that the pool keeps, idle and leased together. The sizes of all pools are within the organization's " +
      "limit of pooled sessions.",
    example: 2,
  });

const fillRateSchema = z
  .int()
  .min(0)
  .max(25)
  .openapi({
    description:
      "Percentage of the pool that is filled per minute, one browser after the other, the first one at once; " +
      "0 pauses it. Of a small pool that is slow: at 10, a pool of 2 gets its second browser after 5 minutes.",
  });

const timeoutSchema = z.int().min(60).max(86_400).openapi({
  description: "Seconds without use after which an acquired browser is ended and replaced.",
  example: 600,
});

const PROFILE_DESCRIPTION =
  "What each browser begins with. Pools save no profile: save_changes is kept and has no effect.";

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
      .openapi({ description: "Opened in each browser when it is launched, best effort." }),
    profile: profileSelectionSchema.optional().openapi({ description: PROFILE_DESCRIPTION }),
    proxy_id: proxyIdSchema.optional(),
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
      .transform(readViewport)
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
    discard_all_idle: z
      .boolean()
      .optional()
      .transform((discards) => discards ?? false)
      .openapi({
        description:
          "End every idle browser and launch others in their place, whatever the fill rate. Absent is the same as false.",
        example: true,
      }),
  })
  .openapi("UpdateBrowserPool", {
    description: "An absent field keeps its value. Browsers that there are already stay as they were made.",
    example: { size: 3 },
  });

export type UpdatePoolBody = z.infer<typeof updatePoolBodySchema>;

export const deletePoolBodySchema = z
  .object({
    force: z.boolean().default(false).openapi({ description: "End browsers that are leased, too." }),
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
          "Longest wait for a browser, in seconds. Default and maximum: 50 seconds; up to 90 for a caller that sends " +
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
      .openapi({ description: "Opened in the tab in front, best effort. Absent: it stays as it is." }),
  })
  .openapi("AcquireBrowser", {
    description: "Name, tags and start URL are the session's until it is released.",
  });

export type AcquireBody = z.infer<typeof acquireBodySchema>;

export const acquireHeadersSchema = z.object({
  "X-Stainless-Timeout": z
    .string()
    .optional()
    .openapi({ description: "Seconds that the caller listens for the answer; the Kernel SDK sends it." }),
});

export const releaseBodySchema = z
  .object({
    session_id: z.string().openapi({
      description: "Id of the session that was acquired from this pool.",
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
  name: z.string().optional().openapi({ description: "The pool of this name." }),
  query: z.string().optional().openapi({ description: "Part of a name in either case, or a pool's id." }),
  limit: queryInteger({
    minimum: 1,
    maximum: 100,
    default: undefined,
    description: "Most results to return; every pool when absent.",
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
    available_count: z.int().openapi({ description: "Idle browsers that can be acquired now.", example: 1 }),
    acquired_count: z.int().openapi({ description: "Browsers that are acquired now.", example: 1 }),
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
        size: z.int().openapi({ description: "Browsers that the pool keeps.", example: 2 }),
        name: z
          .string()
          .optional()
          .openapi({ description: "Name of the pool; absent when it has none.", example: "warm" }),
        fill_rate_per_minute: z.int().openapi({
          description: "Percentage of the pool that is filled per minute, from 0 to 25.",
          example: 10,
        }),
        timeout_seconds: z.int().openapi({
          description: "Seconds without use after which an acquired browser is ended and replaced.",
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
            description: "Extensions of each browser, as they were selected.",
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
              .openapi({ description: "As it was given; pools save no profile." }),
          })
          .optional()
          .openapi({
            description: "Profile that each browser starts with; absent when there is none.",
            example: { name: "shop" },
          }),
      })
      .openapi({ description: "Configuration of all browsers of the pool." }),
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
        extensions: [{ name: "blocker" }],
      },
      extension_ids: ["x2pqk5u9n0wq7c4s1d8e6r3t"],
    },
  });

export type PoolBody = z.infer<typeof poolSchema>;

/**
 * What D1 keeps of a new pool's configuration.
 *
 * @param selected what it selects, found.
 */
export function toConfiguration(body: CreatePoolBody, selected: SelectedReferences) {
  return {
    size: body.size,
    fillRatePerMinute: body.fill_rate_per_minute,
    timeoutSeconds: body.timeout_seconds,
    headless: body.headless,
    stealth: body.stealth,
    kioskMode: body.kiosk_mode,
    ...toViewportColumns(body.viewport),
    name: body.name || null,
    startURL: body.start_url || null,
    extensions: body.extensions ?? [],
    extensionIds: selected.extensionIds,
    proxyId: selected.proxyId,
    profile: body.profile ?? null,
    profileId: selected.profile?.id ?? null,
  };
}

/**
 * What a change makes of it; what is not to change is left out.
 *
 * @param selected what it selects, found.
 */
export function toConfigurationChange(body: UpdatePoolBody, selected: SelectedReferences): PoolChange {
  const { profile } = selected;
  return {
    size: body.size,
    fillRatePerMinute: body.fill_rate_per_minute,
    timeoutSeconds: body.timeout_seconds,
    headless: body.headless,
    stealth: body.stealth,
    kioskMode: body.kiosk_mode,
    ...(body.viewport === undefined ? {} : toViewportColumns(body.viewport)),
    ...(body.name ? { name: body.name } : {}),
    ...(body.extensions === undefined
      ? {}
      : { extensions: body.extensions, extensionIds: selected.extensionIds }),
    ...(body.proxy_id === undefined ? {} : { proxyId: selected.proxyId }),
    ...(body.profile === undefined
      ? {}
      : { profile: profile === null ? null : body.profile, profileId: profile?.id ?? null }),
    ...(body.start_url === undefined ? {} : { startURL: body.start_url || null }),
  };
}

function toViewportColumns({ width, height, refreshRate }: Viewport) {
  return { viewportWidth: width, viewportHeight: height, viewportRefreshRate: refreshRate };
}

/** A pool as callers see it. */
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
    },
    extension_ids: pool.extensionIds,
    profile_id: pool.profileId ?? undefined,
  };
}
