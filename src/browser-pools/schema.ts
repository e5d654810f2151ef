import { z } from "@hono/zod-openapi";
import type { Viewport } from "../browser/viewport.ts";
import {
  browserShape,
  extensionsSchema,
  profileSelectionSchema,
  proxyIdSchema,
  startURLSchema,
  tagsSchema,
  viewportSchema,
  viewportShape,
} from "../browser-sessions/configuration-schema.ts";
import type { SelectedReferences } from "../browser-sessions/select-references.ts";
import { nameSchema } from "../http/names.ts";
import { pageQuerySchema, queryInteger } from "../http/pagination.ts";
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

const timeoutSchema = z
  .int()
  .min(60)
  .max(86_400)
  .openapi({ description: "Seconds without use after which an acquired browser is ended and replaced." });

const PROFILE_DESCRIPTION =
  "What each browser begins with. Pools save no profile: save_changes is kept and has no effect.";

const poolNameSchema = z.union([z.literal(""), nameSchema]);

export const createPoolBodySchema = z
  .object({
    size: sizeSchema,
    name: poolNameSchema.optional().openapi({ description: "Unique among the organization's pools." }),
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
    name: poolNameSchema.optional().openapi({ description: '"" or absent keeps it.' }),
    fill_rate_per_minute: fillRateSchema.optional(),
    timeout_seconds: timeoutSchema.optional(),
    headless: z.boolean().optional(),
    stealth: z.boolean().optional(),
    kiosk_mode: z.boolean().optional(),
    viewport: viewportSchema.optional(),
    start_url: z
      .union([z.literal(""), startURLSchema])
      .optional()
      .openapi({ description: '"" removes it.' }),
    profile: profileSelectionSchema
      .optional()
      .openapi({ description: `${PROFILE_DESCRIPTION} {"id": ""} removes it.` }),
    proxy_id: proxyIdSchema.optional(),
    extensions: extensionsSchema.optional(),
    discard_all_idle: z.boolean().default(false).openapi({
      description: "End every idle browser and launch others in their place, whatever the fill rate.",
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
  .openapi("DeleteBrowserPool");

export const acquireBodySchema = z
  .object({
    acquire_timeout_seconds: z
      .int()
      .min(0)
      .optional()
      .openapi({
        description:
          "Longest wait for a browser. Never longer than 50 seconds, or, for a caller that says how long it listens " +
          "(X-Stainless-Timeout), than 90.",
      }),
    name: nameSchema
      .optional()
      .openapi({ description: "Of the session; unique among the organization's active sessions." }),
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
    session_id: z.string(),
    reuse: z.boolean().default(true).openapi({
      description:
        "Whether the browser, with its tabs and cookies, is for the next caller; else it is replaced.",
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
    id: z.string().openapi({ example: "b0l7cmhhb3rrh2c4r1z0m7qe" }),
    name: z.string().optional(),
    created_at: z.iso.datetime(),
    available_count: z.int().openapi({ description: "Browsers that wait to be acquired." }),
    acquired_count: z.int().openapi({ description: "Browsers that somebody has." }),
    last_error: z
      .object({ message: z.string(), at: z.iso.datetime() })
      .optional()
      .openapi({ description: "Why the last launch has failed; absent once one succeeds." }),
    browser_pool_config: z.object({
      size: z.int(),
      name: z.string().optional(),
      fill_rate_per_minute: z.int(),
      timeout_seconds: z.int(),
      headless: z.boolean(),
      stealth: z.boolean(),
      kiosk_mode: z.boolean(),
      viewport: viewportShape,
      start_url: z.string().optional(),
      extensions: z.array(z.object({ id: z.string().optional(), name: z.string().optional() })),
      proxy_id: z.string().optional(),
      profile: z
        .object({
          id: z.string().optional(),
          name: z.string().optional(),
          save_changes: z.boolean().optional(),
        })
        .optional(),
    }),
    extension_ids: z.array(z.string()),
    profile_id: z.string().optional(),
  })
  .openapi("BrowserPool");

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
