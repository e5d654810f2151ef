import { z } from "@hono/zod-openapi";
import { base64Bytes } from "../http/base64.ts";
import { multipartRequest } from "../http/openapi.ts";

const MOST_PATH_BYTES = 4096;

const pathSchema = z
  .string()
  .refine((path) => path.startsWith("/"), "must be an absolute path")
  .refine((path) => !path.includes("\0"), "must not contain NUL")
  .refine(
    (path) => new TextEncoder().encode(path).length <= MOST_PATH_BYTES,
    `must have at most ${MOST_PATH_BYTES} bytes`,
  )
  .openapi({ description: "Absolute path.", example: "/home/kernel/report.pdf" });

const modeSchema = z
  .string()
  .regex(/^0?[0-7]{1,4}$/, "must be an octal mode from 0 to 7777, such as 644")
  .transform((text) => Number.parseInt(text, 8))
  .openapi({ type: "string", description: "Permission bits, octal.", example: "644" });

/** `?path=`, and bodies that name one file or directory. */
export const filePathSchema = z.object({ path: pathSchema });

export const writeFileQuerySchema = z.object({ path: pathSchema, mode: modeSchema.optional() });

export const createDirectorySchema = z.object({ path: pathSchema, mode: modeSchema.optional() });

export const moveSchema = z.object({ src_path: pathSchema, dest_path: pathSchema });

export const setFilePermissionsSchema = z.object({
  path: pathSchema,
  mode: modeSchema,
  owner: z.string().optional().openapi({ description: "User, by name or number." }),
  group: z.string().optional().openapi({ description: "Group, by name or number." }),
});

/** The destination of an upload, which comes as a field of a form. */
export const destinationSchema = pathSchema;

/**
 * The forms of uploads, for the documentation. They are no schemas to validate by: what validates a form holds all of
 * it in memory.
 */
export const UPLOAD_FORM = multipartRequest({
  type: "object" as const,
  description: "`files[0][file]` and `files[0][dest_path]`, and so on; or `file` and `dest_path`.",
  properties: {
    files: {
      type: "array" as const,
      items: {
        type: "object" as const,
        required: ["file", "dest_path"],
        properties: {
          file: { type: "string" as const, format: "binary" },
          dest_path: { type: "string" as const },
        },
      },
    },
  },
});

export const ZIP_UPLOAD_FORM = multipartRequest({
  type: "object" as const,
  required: ["zip_file", "dest_path"],
  properties: {
    zip_file: { type: "string" as const, format: "binary" },
    dest_path: { type: "string" as const },
  },
});

export const fileInfoSchema = z
  .object({
    name: z.string(),
    path: z.string(),
    is_dir: z.boolean(),
    mode: z.string().openapi({ example: "-rw-r--r--" }),
    size_bytes: z.number().openapi({ description: "0 for directories." }),
    mod_time: z.string().openapi({ format: "date-time" }),
  })
  .openapi("FileInfo");

export type FileInfo = z.infer<typeof fileInfoSchema>;

export const startWatchSchema = z.object({ path: pathSchema, recursive: z.boolean().default(false) });

export const watchSchema = z.object({ watch_id: z.string() });

export const watchEventSchema = z
  .object({
    type: z.enum(["CREATE", "WRITE", "DELETE", "RENAME"]),
    path: z.string(),
    name: z.string(),
    is_dir: z.boolean(),
  })
  .openapi("FileChange");

const MOST_TERMINAL_LINES = 65_535;
const terminalSize = z
  .int()
  .min(1, "must be > 0")
  .max(MOST_TERMINAL_LINES, `must be <= ${MOST_TERMINAL_LINES}`);

const NO_NUL = /^[^\0]*$/;

const argumentSchema = z.string().regex(NO_NUL, "must not contain NUL");

/** A name of an environment variable. */
const variableNameSchema = z.string().regex(/^[^=\0]+$/, "must be the name of a variable");

/** null and what is left out are the same to clients. */
function orNull<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const commandShape = {
  command: argumentSchema.regex(/\S/, "command required").openapi({
    description: "A program, by its path or its name; without arguments also a line of shell.",
    example: "ls -la",
  }),
  args: z.array(argumentSchema).default([]),
  cwd: orNull(pathSchema).openapi({ description: "Absolute; default: the user's home." }),
  env: z.record(variableNameSchema, argumentSchema).default({}),
  as_user: orNull(z.string().min(1, "must name a user")).openapi({
    description: "`name`, `uid`, `name:gid` or `uid:gid`.",
  }),
  as_root: z.boolean().default(false),
  timeout_sec: orNull(z.int().min(0)).openapi({
    description: "The process is killed after so many seconds; 0, or nothing, for the service's ceiling.",
  }),
};

const onlyOneUser = {
  check: (body: { as_root: boolean; as_user?: string }) => !(body.as_root && body.as_user),
  message: { path: ["as_user"], message: "cannot specify both as_root and as_user" },
};

export const execSchema = z.object(commandShape).refine(onlyOneUser.check, onlyOneUser.message);

export const execResultSchema = z
  .object({
    exit_code: z.int().openapi({ description: "-1 where a signal ended the process." }),
    stdout_b64: z.string(),
    stderr_b64: z.string(),
    duration_ms: z.int(),
  })
  .openapi("ProcessResult");

export const spawnSchema = z
  .object({
    ...commandShape,
    allocate_tty: z
      .boolean()
      .default(false)
      .refine((wanted) => !wanted, "this machine has no terminals")
      .openapi({ description: "Refused when true: the machine has no terminals." }),
    rows: terminalSize.optional(),
    cols: terminalSize.optional(),
  })
  .refine(onlyOneUser.check, onlyOneUser.message);

export const spawnedSchema = z
  .object({ process_id: z.string(), pid: z.int(), started_at: z.string().openapi({ format: "date-time" }) })
  .openapi("SpawnedProcess");

export const processStatusSchema = z
  .object({
    state: z.enum(["running", "exited"]),
    exit_code: z.int().nullable(),
    cpu_pct: z.number(),
    mem_bytes: z.int().optional(),
  })
  .openapi("ProcessStatus");

export const processInputSchema = z.object({ data_b64: base64Bytes });

export const writtenSchema = z.object({ written_bytes: z.int() });

export const killSchema = z.object({
  signal: z.enum(["TERM", "KILL", "INT", "HUP"], "invalid signal: one of TERM, KILL, INT, HUP"),
});

export const doneSchema = z.object({ ok: z.literal(true) });

export const resizeSchema = z.object({ rows: terminalSize, cols: terminalSize });

export const processOutputSchema = z
  .object({
    stream: z.enum(["stdout", "stderr"]).optional(),
    data_b64: z.string().optional(),
    event: z.literal("exit").optional(),
    exit_code: z.int().optional(),
  })
  .openapi("ProcessOutput");
