import { z } from "@hono/zod-openapi";
import { flagOf, textOf } from "../../lib/http/fields.ts";
import { multipartRequest } from "../../lib/http/openapi.ts";

const MAX_PATH_BYTES = 4096;

export const pathSchema = z
  .string()
  .refine((path) => path.startsWith("/"), "must be an absolute path")
  .refine((path) => !path.includes("\0"), "must not contain NUL")
  .refine(
    (path) => new TextEncoder().encode(path).length <= MAX_PATH_BYTES,
    `must have at most ${MAX_PATH_BYTES} bytes`,
  )
  .openapi({ description: "Absolute path.", example: "/home/kernel/report.pdf" });

const modeSchema = z
  .string()
  .regex(/^0?[0-7]{1,4}$/, "must be an octal mode from 0 to 7777, such as 644")
  .transform((text) => Number.parseInt(text, 8))
  .openapi({ type: "string", description: "Permission bits, octal.", example: "644" });

const directorySchema = pathSchema.openapi({
  description: "Absolute path of a directory.",
  example: "/home/kernel/reports",
});

export const filePathSchema = z.object({ path: pathSchema });

export const directoryPathSchema = z.object({ path: directorySchema });

export const writeFileQuerySchema = z.object({
  path: pathSchema,
  mode: modeSchema
    .optional()
    .describe("Permission bits, octal. Default: 644 for a new file; a file that exists keeps its mode."),
});

export const createDirectorySchema = z.object({
  path: directorySchema,
  mode: modeSchema.optional().openapi({
    description:
      "Permission bits, octal. Default: 755 for a new directory; a directory that exists keeps its mode.",
    example: "755",
  }),
});

export const moveSchema = z.object({
  src_path: pathSchema.describe("Absolute path of the file or directory to move."),
  dest_path: pathSchema.openapi({
    description: "Absolute path to move it to, with its new name. The parent directory must exist.",
    example: "/home/kernel/archive.pdf",
  }),
});

export const setFilePermissionsSchema = z.object({
  path: pathSchema,
  mode: modeSchema,
  owner: textOf("User, by name or number. Empty or absent keeps the owner.", "kernel").optional(),
  group: textOf("Group, by name or number. Empty or absent keeps the group.", "kernel").optional(),
});

/** Documentation only: a schema would hold a whole form in memory. */
export const UPLOAD_FORM = multipartRequest({
  type: "object" as const,
  description: "`files[0][file]` and `files[0][dest_path]`, and so on; or `file` and `dest_path`.",
  properties: {
    files: {
      type: "array" as const,
      description: "Files to upload, each with its destination.",
      items: {
        type: "object" as const,
        required: ["file", "dest_path"],
        properties: {
          file: { type: "string" as const, format: "binary", description: "Content of the file." },
          dest_path: {
            type: "string" as const,
            description: "Absolute path of the file. Missing parent directories are created.",
            example: "/home/kernel/report.pdf",
          },
        },
      },
    },
  },
});

export const ZIP_UPLOAD_FORM = multipartRequest({
  type: "object" as const,
  required: ["zip_file", "dest_path"],
  properties: {
    zip_file: { type: "string" as const, format: "binary", description: "The zip to unpack." },
    dest_path: {
      type: "string" as const,
      description: "Absolute path of the directory to unpack into. It is created if missing.",
      example: "/home/kernel/reports",
    },
  },
});

export const fileInfoSchema = z
  .object({
    name: textOf("Last part of the path.", "report.pdf"),
    path: textOf("Absolute path.", "/home/kernel/report.pdf"),
    is_dir: flagOf("Whether it is a directory.", false),
    mode: textOf("Type and permissions, as letters.", "-rw-r--r--"),
    size_bytes: z.number().openapi({ description: "Size in bytes; 0 for directories.", example: 10_240 }),
    mod_time: z.string().openapi({
      format: "date-time",
      description: "When its content was last changed.",
      example: "2026-01-02T15:04:05.123Z",
    }),
  })
  .openapi("FileInfo");

export const startWatchSchema = z.object({
  path: directorySchema.describe("Absolute path of the directory, or file, to watch."),
  recursive: flagOf("Watch everything below the directory, not only its own entries.").default(false),
});

export const watchSchema = z.object({
  watch_id: textOf("Id of the watch.", "5b0c7c1e-8f0a-4d5e-9a55-0d7f2f6c4b1d"),
});

export const watchEventSchema = z
  .object({
    type: z
      .enum(["CREATE", "WRITE", "DELETE", "RENAME"])
      .openapi({ description: "What happened.", example: "WRITE" }),
    path: textOf("Absolute path that changed.", "/home/kernel/reports/may.pdf"),
    name: textOf("Last part of the path.", "may.pdf"),
    is_dir: flagOf("Whether it is a directory.", false),
  })
  .openapi("FileChange");
