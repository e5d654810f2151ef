import { z } from "@hono/zod-openapi";
import type { ExtensionRow } from "../../lib/database/schema/extensions.ts";
import { countOf, textOf, timeOf } from "../../lib/http/fields.ts";
import { pageQuerySchema } from "../../lib/http/pagination.ts";

export const extensionListQuerySchema = pageQuerySchema.extend({
  name: textOf("The extension of this name.").optional(),
  query: textOf("Part of a name in either case, or an extension's id.").optional(),
});

export const extensionParamSchema = z.object({
  id_or_name: textOf("The extension's id or name."),
});

export const extensionSchema = z
  .object({
    id: textOf("Id of the extension.", "x2pqk5u9n0wq7c4s1d8e6r3t"),
    name: textOf("Its name; null when it has none.", "blocker").nullable(),
    created_at: timeOf("When it was uploaded."),
    last_used_at: timeOf(
      "When a browser was last launched with it; null: never.",
      "2026-01-03T09:30:00.000Z",
    ).nullable(),
    size_bytes: countOf("Size of the zip in bytes.", 20_480),
    checksum: textOf(
      "SHA-256 of the zip in hexadecimal.",
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ),
    unsupported: z
      .array(
        z.object({
          feature: textOf("Key or permission of the manifest.", "permissions.tabs"),
          reason: textOf("Why it does not work.", "there is no chrome.tabs in content scripts"),
        }),
      )
      .describe(
        "Features of the manifest that do not work in browsers without native extension support. Content scripts and " +
          "styles work everywhere.",
      ),
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
