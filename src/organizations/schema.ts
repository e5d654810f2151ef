import { z } from "@hono/zod-openapi";
import type { APIKeyRow, OrganizationRow } from "../database/schema/organizations.ts";
import { displayNameSchema } from "../http/names.ts";
import { pageQuerySchema, queryBoolean } from "../http/pagination.ts";

const daysToExpireSchema = z
  .int()
  .min(1)
  .max(3650)
  .nullish()
  .openapi({ description: "Days until the key expires; null or absent: never." });

export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    masked_key: z
      .string()
      .openapi({ description: "The key's beginning and end.", example: "berth_Xy4f…9aQk" }),
    project_id: z.null().openapi({ description: "Always null: there are no projects." }),
    project_name: z.null().openapi({ description: "Always null: there are no projects." }),
    created_at: z.iso.datetime(),
    created_by: z
      .object({ id: z.string(), email: z.string(), name: z.string().nullable() })
      .openapi({ description: "`id` of the key that created this one, or `operator`." }),
    expires_at: z.iso.datetime().nullable(),
    deleted_at: z.iso.datetime().nullable(),
  })
  .openapi("APIKey");

export const createdAPIKeySchema = apiKeySchema
  .extend({ key: z.string().openapi({ description: "The key itself. It is shown this once." }) })
  .openapi("CreatedAPIKey");

export const createAPIKeyBodySchema = z.object({
  name: displayNameSchema,
  days_to_expire: daysToExpireSchema,
  project_id: z
    .string()
    .nullish()
    .openapi({ description: "There are no projects; anything but null is 404." }),
});

export const renameAPIKeyBodySchema = z.object({ name: displayNameSchema });

export const rotateAPIKeyBodySchema = z
  .object({
    days_to_expire: daysToExpireSchema.openapi({
      description:
        "Days until the new key expires; null: never; absent: as many as the old key was made for.",
    }),
    expire_in_days: z
      .int()
      .min(0)
      .max(3650)
      .default(7)
      .openapi({ description: "Days until the old key stops working; 0: at once." }),
  })
  .refine((body) => body.days_to_expire == null || body.days_to_expire >= body.expire_in_days, {
    path: ["days_to_expire"],
    message: "must not be less than expire_in_days: the new key would expire before the old one",
  });

export const apiKeyListQuerySchema = pageQuerySchema.extend({
  status: z
    .enum(["active", "deleted", "all"])
    .optional()
    .openapi({ description: "`active` (default) includes expired keys." }),
  include_deleted: queryBoolean({ default: false, description: "Use status=all.", deprecated: true }),
  name: z.string().optional().openapi({ description: "Exact name." }),
  query: z.string().optional().openapi({ description: "Part of a name, or an id." }),
  sort_by: z.enum(["created_at", "name", "expires_at"]).default("created_at"),
  sort_direction: z.enum(["asc", "desc"]).default("desc"),
});

export const apiKeyQuerySchema = z.object({
  include_deleted: queryBoolean({ default: false, description: "Find deleted keys too." }),
});

export const idParamSchema = z.object({ id: z.string() });

export const organizationLimitsSchema = z
  .object({
    max_concurrent_sessions: z.int().openapi({ description: "Sessions the organization may have at once." }),
    max_pooled_sessions: z.int().openapi({ description: "Browsers the organization may keep in pools." }),
    default_project_max_concurrent_sessions: z.null().openapi({ description: "There are no projects." }),
  })
  .openapi("OrganizationLimits");

const limitSchema = z.int().min(0).nullable().openapi({ description: "null: the service's default." });

export const organizationSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    max_concurrent_sessions: limitSchema,
    max_pooled_sessions: limitSchema,
    created_at: z.iso.datetime(),
    disabled_at: z.iso.datetime().nullable(),
  })
  .openapi("Organization");

export const createdOrganizationSchema = organizationSchema
  .extend({ api_key: createdAPIKeySchema })
  .openapi("CreatedOrganization");

export const createOrganizationBodySchema = z.object({
  name: displayNameSchema,
  max_concurrent_sessions: limitSchema.optional(),
  max_pooled_sessions: limitSchema.optional(),
  key_name: displayNameSchema.default("first key"),
});

export const updateOrganizationBodySchema = z.object({
  name: displayNameSchema.optional(),
  max_concurrent_sessions: limitSchema.optional(),
  max_pooled_sessions: limitSchema.optional(),
  disabled: z
    .boolean()
    .optional()
    .openapi({ description: "true: its keys are refused and its sessions end; false: its keys work again." }),
});

export function presentAPIKey(row: APIKeyRow): z.infer<typeof apiKeySchema> {
  return {
    id: row.id,
    name: row.name,
    masked_key: row.maskedKey,
    project_id: null,
    project_name: null,
    created_at: toDateTime(row.createdAt),
    created_by: { id: row.createdBy, email: "", name: null },
    expires_at: toNullableDateTime(row.expiresAt),
    deleted_at: toNullableDateTime(row.deletedAt),
  };
}

export function presentOrganization(row: OrganizationRow): z.infer<typeof organizationSchema> {
  return {
    id: row.id,
    name: row.name,
    max_concurrent_sessions: row.maxConcurrentSessions,
    max_pooled_sessions: row.maxPooledSessions,
    created_at: toDateTime(row.createdAt),
    disabled_at: toNullableDateTime(row.disabledAt),
  };
}

function toDateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function toNullableDateTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toDateTime(milliseconds);
}
