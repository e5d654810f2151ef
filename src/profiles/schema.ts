import { z } from "@hono/zod-openapi";
import type { ProfileRow } from "../database/schema/profiles.ts";
import { nameSchema } from "../http/names.ts";
import { pageQuerySchema, queryBoolean } from "../http/pagination.ts";

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

export const profileContentsQuerySchema = z.object({
  include_values: queryBoolean({
    default: false,
    description: "Whether to return the values of cookies and of localStorage, which may be secrets.",
  }),
});

const valueSchema = z
  .string()
  .optional()
  .openapi({ description: "The value; only with `include_values`.", example: "3 pears" });

const cookieSchema = z
  .object({
    name: z.string().openapi({ description: "Name of the cookie.", example: "session" }),
    domain: z.string().openapi({
      description: "Its host; with a leading dot also the hosts below.",
      example: ".example.com",
    }),
    path: z.string().openapi({ description: "Its path.", example: "/" }),
    expires_at: z.iso.datetime().optional().openapi({
      description: "When it expires; absent for a cookie that ends with the browser.",
      example: "2026-07-02T15:04:05.000Z",
    }),
    secure: z.boolean().openapi({ description: "Whether only https requests send it.", example: true }),
    http_only: z.boolean().openapi({ description: "Whether it is hidden from scripts.", example: true }),
    same_site: z.enum(["Strict", "Lax", "None"]).optional().openapi({
      description: "Which requests of other sites send it; absent when the site has not said.",
      example: "Lax",
    }),
    partition_key: z.string().optional().openapi({
      description: "The site in whose pages it exists; absent unless it is partitioned.",
      example: "https://example.org",
    }),
    size_bytes: z.int().openapi({ description: "Length of its name and value in UTF-8.", example: 43 }),
    value: valueSchema,
  })
  .openapi("ProfileCookie");

const localStorageItemSchema = z.object({
  key: z.string().openapi({ description: "Key of the item.", example: "cart" }),
  size_bytes: z.int().openapi({ description: "Length of its key and value in UTF-8.", example: 11 }),
  value: valueSchema,
});

const databaseSchema = z.object({
  name: z.string().openapi({ description: "Name of the database.", example: "mail" }),
  version: z.number().openapi({ description: "Its version.", example: 3 }),
  object_stores: z
    .array(
      z.object({
        name: z.string().openapi({ description: "Name of the object store.", example: "drafts" }),
        records: z.int().openapi({ description: "Number of its records.", example: 12 }),
      }),
    )
    .openapi({ description: "Its object stores." }),
});

export const profileContentsSchema = z
  .object({
    cookies: z.array(cookieSchema).openapi({ description: "All cookies." }),
    origins: z
      .array(
        z.object({
          origin: z.string().openapi({ description: "The origin.", example: "https://example.com" }),
          local_storage: z
            .array(localStorageItemSchema)
            .openapi({ description: "Items of its localStorage." }),
          indexed_db: z.array(databaseSchema).openapi({ description: "Its databases of IndexedDB." }),
        }),
      )
      .openapi({ description: "Origins that have stored something." }),
    truncated: z.boolean().openapi({ description: "Whether something was left out.", example: false }),
  })
  .openapi("ProfileContents");

export type ProfileContents = z.infer<typeof profileContentsSchema>;

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
