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
    id: z.string().openapi({ example: "x2pqk5u9n0wq7c4s1d8e6r3t" }),
    name: z.string().nullable(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    size_bytes: z.int().openapi({ description: "Of the zip." }),
    checksum: z.string().openapi({ description: "SHA-256 of the zip in hexadecimal." }),
    unsupported: z.array(z.object({ feature: z.string(), reason: z.string() })).openapi({
      description:
        "What its manifest asks for and does not run in a browser that loads no extensions itself; content scripts and styles do.",
    }),
  })
  .openapi("Extension");

/** An extension as callers see it. */
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
