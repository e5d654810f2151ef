import { z } from "@hono/zod-openapi";
import type { ProfileRow } from "../../lib/database/schema/profiles.ts";
import { countOf, flagOf, textOf, timeOf } from "../../lib/http/fields.ts";
import { nameSchema } from "../../lib/http/names.ts";
import { pageQuerySchema, queryBoolean } from "../../lib/http/pagination.ts";

export const createProfileBodySchema = z.object({
  name: z
    .union([z.literal(""), nameSchema])
    .nullish()
    .openapi({
      description: "Unique among the project's profiles. Empty, null or absent: no name.",
      example: "shop",
    }),
});

export const updateProfileBodySchema = z.object({
  name: nameSchema.openapi({
    description: "New name, unique among the project's profiles.",
    example: "shop",
  }),
});

export const profileListQuerySchema = pageQuerySchema.extend({
  name: textOf("The profile of this name.").optional(),
  query: textOf("Part of a name in either case, or a profile's id.").optional(),
});

export const profileParamSchema = z.object({
  id_or_name: textOf("The profile's id or name."),
});

export const profileDownloadQuerySchema = z.object({
  format: z.enum(["tar.zst", "tar"]).optional().describe("Has no effect: profiles are JSON, never archives."),
});

export const profileContentsQuerySchema = z.object({
  include_values: queryBoolean({
    default: false,
    description: "Whether to return the values of cookies and of localStorage, which may be secrets.",
  }),
});

const valueSchema = textOf("The value; only with `include_values`.", "3 pears").optional();

const cookieSchema = z
  .object({
    name: textOf("Name of the cookie.", "session"),
    domain: textOf("Its host; with a leading dot, its subdomains as well.", ".example.com"),
    path: textOf("Its path.", "/"),
    expires_at: timeOf(
      "When it expires; absent for a cookie that ends with the browser.",
      "2026-07-02T15:04:05.000Z",
    ).optional(),
    secure: flagOf("Whether only https requests send it.", true),
    http_only: flagOf("Whether it is hidden from scripts.", true),
    same_site: z.enum(["Strict", "Lax", "None"]).optional().openapi({
      description: "Which requests from other sites send it; absent when the site did not specify this.",
      example: "Lax",
    }),
    partition_key: textOf(
      "The site in whose pages it exists; absent unless it is partitioned.",
      "https://example.org",
    ).optional(),
    size_bytes: countOf("Length of its name and value in UTF-8.", 43),
    value: valueSchema,
  })
  .openapi("ProfileCookie");

const localStorageItemSchema = z.object({
  key: textOf("Key of the item.", "cart"),
  size_bytes: countOf("Length of its key and value in UTF-8.", 11),
  value: valueSchema,
});

const databaseSchema = z.object({
  name: textOf("Name of the database.", "mail"),
  version: z.number().openapi({ description: "Its version.", example: 3 }),
  object_stores: z
    .array(
      z.object({
        name: textOf("Name of the object store.", "drafts"),
        records: countOf("Number of its records.", 12),
      }),
    )
    .describe("Its object stores."),
});

export const profileContentsSchema = z
  .object({
    cookies: z.array(cookieSchema).describe("All cookies."),
    origins: z
      .array(
        z.object({
          origin: textOf("The origin.", "https://example.com"),
          local_storage: z.array(localStorageItemSchema).describe("Items of its localStorage."),
          indexed_db: z.array(databaseSchema).describe("Its databases of IndexedDB."),
        }),
      )
      .describe("Origins that have stored something."),
    truncated: flagOf("Whether something was left out.", false),
  })
  .openapi("ProfileContents");

export type ProfileContents = z.infer<typeof profileContentsSchema>;

export const profileSchema = z
  .object({
    id: textOf("Id of the profile.", "r3t7y1u5i9o2p6a0s4d8f1gh"),
    name: textOf("Its name; null when it has none.", "shop").nullable(),
    created_at: timeOf("When it was created."),
    updated_at: timeOf("When it was last saved or renamed.", "2026-01-03T09:30:00.000Z"),
    last_used_at: timeOf(
      "When a session last loaded it; null: never.",
      "2026-01-03T09:30:00.000Z",
    ).nullable(),
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
