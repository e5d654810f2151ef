import { z } from "@hono/zod-openapi";
import type { ExtensionRow } from "../database/schema/extensions.ts";
import { pageQuerySchema } from "../http/pagination.ts";

export const extensionListQuerySchema = pageQuerySchema.extend({
  name: z.string().optional().openapi({ description: "The extension of this name." }),
  query: z
    .string()
    .optional()
    .openapi({ description: "Part of a name in either case, or an extension's id." }),
});

export const extensionParamSchema = z.object({
  id_or_name: z.string().openapi({ description: "The extension's id or name." }),
});

export const extensionSchema = z
  .object({
    id: z.string().openapi({ description: "Id of the extension.", example: "x2pqk5u9n0wq7c4s1d8e6r3t" }),
    name: z
      .string()
      .nullable()
      .openapi({ description: "Its name; null when it has none.", example: "blocker" }),
    created_at: z.iso
      .datetime()
      .openapi({ description: "When it was uploaded.", example: "2026-01-02T15:04:05.123Z" }),
    last_used_at: z.iso.datetime().nullable().openapi({
      description: "When a browser was last launched with it; null: never.",
      example: "2026-01-03T09:30:00.000Z",
    }),
    size_bytes: z.int().openapi({ description: "Size of the zip in bytes.", example: 20_480 }),
    checksum: z.string().openapi({
      description: "SHA-256 of the zip in hexadecimal.",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
    unsupported: z
      .array(
        z.object({
          feature: z
            .string()
            .openapi({ description: "Key or permission of the manifest.", example: "permissions.tabs" }),
          reason: z.string().openapi({
            description: "Why it does not work.",
            example: "there is no chrome.tabs in content scripts",
          }),
        }),
      )
      .openapi({
        description:
          "Features of the manifest that do not work in browsers without native extension support. Content scripts and " +
          "styles work everywhere.",
      }),
  })
  .openapi("Extension");

export function presentExtension(row: ExtensionRow): z.infer<typeof extensionSchema> {
  return {
    id: row.id,
    name: row.name,
    created_at: new Date(row.createdAt).toISOString(),
    last_used_at: row.lastUsedAt === null ? null : new Date(row.lastUsedAt).toISOString(),
    size_bytes: row.sizeBytes,
    checksum: row.checksum,
    unsupported: row.unsupported,
  };
}
