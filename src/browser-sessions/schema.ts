import { z } from "@hono/zod-openapi";
import { VIEWPORT_LIST } from "../browser/viewport.ts";
import { type BrowserSessionRow, END_REASONS } from "../database/schema/browser-sessions.ts";
import type { ProfileRow } from "../database/schema/profiles.ts";
import { nameSchema } from "../http/names.ts";
import { pageQuerySchema, queryBoolean } from "../http/pagination.ts";
import { presentProfile, profileSchema } from "../profiles/schema.ts";
import {
  browserShape,
  profileSelectionSchema,
  proxyIdSchema,
  readViewport,
  startURLSchema,
  tagsSchema,
  viewportShape,
} from "./configuration-schema.ts";
import { END_REASON_MEANINGS } from "./end-reason.ts";

export const createSessionBodySchema = z
  .object({
    ...browserShape,
    timeout_seconds: z
      .int()
      .min(10)
      .max(259_200)
      .default(60)
      .openapi({ description: "Seconds without use after which the session ends." }),
    name: nameSchema.optional().openapi({ description: "Unique among the organization's active sessions." }),
    tags: tagsSchema.default({}),
    start_url: startURLSchema.optional(),
    persistence: z
      .object({ id: z.string().min(1, "must not be empty").max(255, "must have at most 255 characters") })
      .optional()
      .openapi({
        deprecated: true,
        description: "An id in use answers with the session that has it, unchanged. Use timeout_seconds.",
      }),
    profile: profileSelectionSchema.optional(),
    proxy_id: proxyIdSchema.optional(),
    invocation_id: z.string().optional().openapi({
      description:
        "The unfinished invocation that the session is to end with. With the key of one it is that one.",
      example: "rr33xuugxj9h0bkf1rdt2bet",
    }),
  })
  .openapi("CreateBrowserSession", {
    example: {
      name: "first",
      timeout_seconds: 300,
      viewport: { width: 1440, height: 900 },
      tags: { team: "backend" },
    },
  });

export type CreateSessionBody = z.infer<typeof createSessionBodySchema>;

export const updateSessionBodySchema = z
  .object({
    name: z
      .union([z.literal(""), nameSchema])
      .optional()
      .openapi({ description: '"" removes it; absent keeps it.' }),
    tags: tagsSchema.nullish().openapi({ description: "Replaces all tags; null or absent keeps them." }),
    profile: profileSelectionSchema
      .optional()
      .openapi({ description: "Loaded beside what is there; refused with 409 where one was loaded before." }),
    proxy_id: proxyIdSchema.nullish().openapi({
      description:
        '"" removes it; null or absent keeps it. Cookies, storage and the tabs\' addresses are kept; the pages ' +
        "themselves are opened anew, and contexts that clients have made are closed.",
    }),
    viewport: viewportShape
      .extend({
        force: z
          .boolean()
          .default(false)
          .openapi({ description: "Resize while somebody looks at the live view, too." }),
      })
      .transform(({ force, ...given }, context) => ({ force, size: readViewport(given, context) }))
      .optional()
      .openapi({
        description: `Resizes the session's windows to one of ${VIEWPORT_LIST}.`,
        example: { width: 1440, height: 900 },
      }),
  })
  .openapi("UpdateBrowserSession");

export type UpdateSessionBody = z.infer<typeof updateSessionBodySchema>;

export const sessionListQuerySchema = pageQuerySchema.extend({
  status: z.enum(["active", "deleted", "all"]).optional().openapi({ description: "`active` when absent." }),
  include_deleted: queryBoolean({ default: false, description: "Use status=all.", deprecated: true }),
  query: z.string().optional().openapi({
    description: "Part of a name in either case, or the id of a session, its proxy or its profile.",
  }),
  tags: z
    .record(z.string(), z.string())
    .optional()
    .openapi({
      param: { style: "deepObject", explode: true },
      example: {},
      description: "Sessions with all these tags, as tags[key]=value.",
    }),
});

export const getSessionQuerySchema = z.object({
  include_deleted: queryBoolean({ default: false, description: "Find ended sessions too." }),
});

export const persistentIdQuerySchema = z.object({
  persistent_id: z
    .string({ error: "is required" })
    .min(1, "must not be empty")
    .openapi({ description: "The `persistence.id` that the session was created with." }),
});

export const idOrNameParamSchema = z.object({
  id_or_name: z.string().openapi({ description: "The session's id, or the name of an active one." }),
});

export const sessionSchema = z
  .object({
    session_id: z.string().openapi({ example: "htzv5orfit78e1m2biiifpbv" }),
    created_at: z.iso.datetime(),
    cdp_ws_url: z
      .string()
      .openapi({ description: "DevTools endpoint; carries its own token, wants no API key." }),
    browser_live_view_url: z
      .string()
      .optional()
      .openapi({
        description:
          "A page to watch and take over the browser; carries its own token, wants no API key. Not of headless " +
          "or ended sessions.",
      }),
    headless: z.boolean(),
    stealth: z.boolean(),
    kiosk_mode: z.boolean(),
    timeout_seconds: z.int(),
    viewport: viewportShape,
    name: z.string().optional(),
    tags: z.record(z.string(), z.string()),
    start_url: z.string().optional().openapi({ description: "As requested, not as loaded." }),
    persistence: z.object({ id: z.string() }).optional().openapi({ deprecated: true }),
    proxy_id: z.string().optional(),
    profile: profileSchema.optional().openapi({ description: "The profile that it has loaded." }),
    pool: z
      .object({ id: z.string(), name: z.string().optional() })
      .optional()
      .openapi({ description: "The pool that it was acquired from." }),
    deleted_at: z.iso.datetime().optional().openapi({ description: "Only of an ended session." }),
    end_details: z
      .string()
      .optional()
      .openapi({ description: "What its end could not do, such as saving its profile." }),
    end_reason: z
      .enum(END_REASONS)
      .optional()
      .openapi({
        description: Object.entries(END_REASON_MEANINGS)
          .map(([reason, meaning]) => `\`${reason}\`: ${meaning}`)
          .join("; "),
      }),
  })
  .openapi("BrowserSession");

export type SessionBody = z.infer<typeof sessionSchema>;

/** A session as callers see it. */
export function presentSession(
  row: BrowserSessionRow,
  profile: ProfileRow | undefined,
  urls: { cdp: string; liveView: string },
): SessionBody {
  return {
    session_id: row.id,
    created_at: new Date(row.createdAt).toISOString(),
    cdp_ws_url: urls.cdp,
    browser_live_view_url: row.headless || row.deletedAt !== null ? undefined : urls.liveView,
    headless: row.headless,
    stealth: row.stealth,
    kiosk_mode: row.kioskMode,
    timeout_seconds: row.timeoutSeconds,
    viewport: { width: row.viewportWidth, height: row.viewportHeight, refresh_rate: row.viewportRefreshRate },
    name: row.name ?? undefined,
    tags: row.tags,
    start_url: row.startURL ?? undefined,
    persistence: row.persistenceId === null ? undefined : { id: row.persistenceId },
    proxy_id: row.proxyId ?? undefined,
    profile: profile === undefined ? undefined : presentProfile(profile),
    pool: row.poolId === null ? undefined : { id: row.poolId, name: row.poolName ?? undefined },
    deleted_at: row.deletedAt === null ? undefined : new Date(row.deletedAt).toISOString(),
    end_reason: row.endReason ?? undefined,
    end_details: row.endDetails ?? undefined,
  };
}
