import { z } from "@hono/zod-openapi";
import { type APIKeyRow, KEY_ACCESS } from "../../../lib/database/schema/organizations.ts";
import { countOf, textOf, timeOf, toDateTime, toNullableDateTime } from "../../../lib/http/fields.ts";
import { displayNameSchema } from "../../../lib/http/names.ts";
import { pageQuerySchema, queryBoolean } from "../../../lib/http/pagination.ts";

const daysToExpireSchema = countOf("Days until the key expires; null or absent: never.", 90)
  .min(1)
  .max(3650)
  .nullish();

export const keyNameSchema = displayNameSchema.openapi({
  description: "Display name of the key. It need not be unique.",
  example: "ci",
});

const limitSchema = z.int().min(1).nullable();

export const apiKeySchema = z
  .object({
    id: textOf("Id of the key.", "k7d2n9f4r1y6u8b3g5j0a2we"),
    name: textOf("Name of the key.", "ci"),
    masked_key: textOf("The first and last characters of the key.", "berth_Xy4f…9aQk"),
    project_id: textOf(
      "The only project that it may use; null: all of the organization.",
      "p3v8x1n6c0z5k9m2b7r4t1wq",
    ).nullable(),
    project_name: textOf("Name of this project; null if it was deleted.", "staging").nullable(),
    access: z.enum(KEY_ACCESS).openapi({
      description: "`full`; `sessions`: browser sessions only; `read`: calls that change nothing.",
      example: "full",
    }),
    max_concurrent_sessions: limitSchema.openapi({
      description: "Maximum number of concurrent sessions created or acquired with it; null: not limited.",
      example: 5,
    }),
    requests_per_minute: limitSchema.openapi({
      description: "Maximum number of calls per minute, counted approximately; null: the service's limit.",
      example: 600,
    }),
    created_at: timeOf("When it was created."),
    created_by: z
      .object({
        id: textOf("Id of the key that created this one, or `operator`.", "operator"),
        email: textOf("Always empty: keys do not belong to people.", ""),
        name: textOf("Always null: keys do not belong to people.", null).nullable(),
      })
      .describe("Who created it."),
    expires_at: timeOf("When it expires; null: never.", "2026-04-02T15:04:05.123Z").nullable(),
    deleted_at: timeOf("When it was deleted; null while it exists.", null).nullable(),
    last_used_at: timeOf(
      "When it was last used, accurate to an hour; null: never.",
      "2026-01-03T09:30:00.000Z",
    ).nullable(),
  })
  .openapi("APIKey");

export const createdAPIKeySchema = apiKeySchema
  .extend({
    key: textOf("The key itself. It is shown only once.", "berth_Xy4fExampleThatIsNoRealKey9aQk"),
  })
  .openapi("CreatedAPIKey", { description: "An API key with its text." });

export const createAPIKeyBodySchema = z
  .object({
    name: keyNameSchema,
    days_to_expire: daysToExpireSchema,
    project_id: textOf(
      "Id of the only project that it may use; null or absent: as the creating key.",
      null,
    ).nullish(),
    access: apiKeySchema.shape.access.default("full"),
    max_concurrent_sessions: limitSchema.optional().openapi({
      description: "Absent: as the creating key; null: not limited.",
    }),
    requests_per_minute: limitSchema.optional().openapi({
      description: "Absent: as the creating key; null: the service's limit.",
    }),
  })
  .openapi({ example: { name: "ci", days_to_expire: 90 } });

export const renameAPIKeyBodySchema = z.object({ name: keyNameSchema });

export const rotateAPIKeyBodySchema = z
  .object({
    days_to_expire: daysToExpireSchema.describe(
      "Days until the new key expires; null: never; absent: the lifetime of the old key.",
    ),
    expire_in_days: countOf("Days until the old key stops working; 0: immediately.")
      .min(0)
      .max(3650)
      .default(7),
  })
  .refine((body) => body.days_to_expire == null || body.days_to_expire >= body.expire_in_days, {
    path: ["days_to_expire"],
    message: "must not be less than expire_in_days: the new key would expire before the old one",
  });

export const apiKeyListQuerySchema = pageQuerySchema.extend({
  status: z
    .enum(["active", "deleted", "all"])
    .optional()
    .describe(
      "Which keys to return. Default: `active`, which includes expired keys; with include_deleted, `all`.",
    ),
  include_deleted: queryBoolean({
    default: false,
    description: "Use status=all. Ignored when status is given.",
    deprecated: true,
  }).openapi({ param: { deprecated: true } }),
  name: textOf("Exact name.").optional(),
  query: textOf("Part of a name, or an id.").optional(),
  sort_by: z.enum(["created_at", "name", "expires_at"]).default("created_at").describe("Field to sort by."),
  sort_direction: z.enum(["asc", "desc"]).default("desc").describe("Ascending or descending order."),
});

export type APIKeyListQuery = z.infer<typeof apiKeyListQuerySchema>;

export const apiKeyQuerySchema = z.object({
  include_deleted: queryBoolean({ default: false, description: "Find deleted keys too." }),
});

/** @param projectNames by id. */
export function presentAPIKey(
  row: APIKeyRow,
  projectNames: ReadonlyMap<string, string> = new Map(),
): z.infer<typeof apiKeySchema> {
  return {
    id: row.id,
    name: row.name,
    masked_key: row.maskedKey,
    project_id: row.projectId,
    project_name: projectNames.get(row.projectId ?? "") ?? null,
    access: row.access,
    max_concurrent_sessions: row.maxConcurrentSessions,
    requests_per_minute: row.requestsPerMinute,
    created_at: toDateTime(row.createdAt),
    created_by: { id: row.createdBy, email: "", name: null },
    expires_at: toNullableDateTime(row.expiresAt),
    deleted_at: toNullableDateTime(row.deletedAt),
    last_used_at: toNullableDateTime(row.lastUsedAt),
  };
}
