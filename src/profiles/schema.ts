import { z } from "@hono/zod-openapi";
import type { ProfileRow } from "../database/schema/profiles.ts";
import { nameSchema } from "../http/names.ts";
import { pageQuerySchema } from "../http/pagination.ts";

export const createProfileBodySchema = z.object({
  name: z
    .union([z.literal(""), nameSchema])
    .nullish()
    .openapi({
      description: "Unique among the organization's profiles. Empty, null or absent: no name.",
      example: "shop",
    }),
});

export const updateProfileBodySchema = z.object({
  name: nameSchema.openapi({
    description: "New name, unique among the organization's profiles.",
    example: "shop",
  }),
});

export const profileListQuerySchema = pageQuerySchema.extend({
  name: z.string().optional().openapi({ description: "The profile of this name." }),
  query: z.string().optional().openapi({ description: "Part of a name in either case, or a profile's id." }),
});

export const profileParamSchema = z.object({
  id_or_name: z.string().openapi({ description: "The profile's id or name." }),
});

export const profileDownloadQuerySchema = z.object({
  format: z
    .enum(["tar.zst", "tar"])
    .optional()
    .openapi({ description: "Without effect: profiles are JSON, never archives." }),
});

export const profileSchema = z
  .object({
    id: z.string().openapi({ description: "Id of the profile.", example: "r3t7y1u5i9o2p6a0s4d8f1gh" }),
    name: z.string().nullable().openapi({ description: "Its name; null when it has none.", example: "shop" }),
    created_at: z.iso
      .datetime()
      .openapi({ description: "When it was created.", example: "2026-01-02T15:04:05.123Z" }),
    updated_at: z.iso
      .datetime()
      .openapi({ description: "When it was last saved or renamed.", example: "2026-01-03T09:30:00.000Z" }),
    last_used_at: z.iso.datetime().nullable().openapi({
      description: "When a session last loaded it; null: never.",
      example: "2026-01-03T09:30:00.000Z",
    }),
  })
  .openapi("Profile");

export function presentProfile(row: ProfileRow): z.infer<typeof profileSchema> {
  return {
    id: row.id,
    name: row.name,
    created_at: new Date(row.createdAt).toISOString(),
    updated_at: new Date(row.updatedAt).toISOString(),
    last_used_at: row.lastUsedAt === null ? null : new Date(row.lastUsedAt).toISOString(),
  };
}
