import { z } from "@hono/zod-openapi";
import { base64Bytes } from "../../lib/http/base64.ts";
import { countOf, flagOf, textOf } from "../../lib/http/fields.ts";
import { pathSchema } from "../files/schema.ts";

const MAX_TERMINAL_LINES = 65_535;
const terminalSize = z
  .int()
  .min(1, "must be > 0")
  .max(MAX_TERMINAL_LINES, `must be <= ${MAX_TERMINAL_LINES}`);
const rowsSchema = terminalSize.openapi({ description: "Lines of the terminal.", example: 24 });
const columnsSchema = terminalSize.openapi({ description: "Columns of the terminal.", example: 80 });

const NO_NUL = /^[^\0]*$/;

const argumentSchema = z.string().regex(NO_NUL, "must not contain NUL");

const variableNameSchema = z.string().regex(/^[^=\0]+$/, "must be the name of a variable");

function orNull<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const commandShape = {
  command: argumentSchema.regex(/\S/, "command required").openapi({
    description: "A program, by path or name. Without arguments it may be a shell command line.",
    example: "ls -la",
  }),
  args: z.array(argumentSchema).default([]).describe("Arguments of the program."),
  cwd: orNull(pathSchema).openapi({
    description: "Absolute path of the working directory. Default: the user's home.",
    example: "/home/kernel",
  }),
  env: z
    .record(variableNameSchema, argumentSchema)
    .default({})
    .openapi({
      description: "Environment variables, in addition to those of the machine.",
      example: { LANG: "C.UTF-8" },
    }),
  as_user: orNull(z.string().min(1, "must name a user")).openapi({
    description:
      "User to run as: `name`, `uid`, `name:gid` or `uid:gid`. Default: `kernel`. Cannot be combined with as_root.",
    example: "kernel",
  }),
  as_root: flagOf("Run as root. Answers 501 on a `linux` machine whose host does not run as root.").default(
    false,
  ),
  timeout_sec: orNull(z.int().min(0)).openapi({
    description: "Seconds after which the process is killed. 0, null or absent: the service's own limit.",
    example: 30,
  }),
};

const onlyOneUser = {
  check: (body: { as_root: boolean; as_user?: string }) => !(body.as_root && body.as_user),
  message: { path: ["as_user"], message: "cannot specify both as_root and as_user" },
};

export const execSchema = z.object(commandShape).refine(onlyOneUser.check, onlyOneUser.message);

export const execResultSchema = z
  .object({
    exit_code: countOf("Exit code; -1 when a signal ended the process.", 0),
    stdout_b64: textOf("Standard output, in base64.", "aGVsbG8K"),
    stderr_b64: textOf("Standard error, in base64.", ""),
    duration_ms: countOf("Duration in milliseconds.", 12),
  })
  .openapi("ProcessResult");

export const spawnSchema = z
  .object({
    ...commandShape,
    allocate_tty: flagOf(
      "Run in a terminal, whose output is stdout. Answers 400 on `simulated` machines, which have none.",
    ).default(false),
    rows: rowsSchema.default(24).describe("Lines of the terminal. Default: 24."),
    cols: columnsSchema.default(80).describe("Columns of the terminal. Default: 80."),
  })
  .refine(onlyOneUser.check, onlyOneUser.message);

export const spawnedSchema = z
  .object({
    process_id: textOf("Id of the process in paths of this API.", "1b4e28ba-2fa1-4d2f-8a3c-5f0c1e9b7d42"),
    pid: countOf("Process id on the machine.", 12),
    started_at: z.string().openapi({
      format: "date-time",
      description: "When it was started.",
      example: "2026-01-02T15:04:05.123Z",
    }),
  })
  .openapi("SpawnedProcess");

export const processStatusSchema = z
  .object({
    state: z
      .enum(["running", "exited"])
      .openapi({ description: "Whether the process is still running.", example: "exited" }),
    exit_code: countOf("Exit code; null while it runs, -1 when a signal ended it.", 0).nullable(),
    cpu_pct: z.number().openapi({ description: "Always 0: CPU time is not measured.", example: 0 }),
    mem_bytes: countOf("Always absent: memory is not measured.").optional(),
  })
  .openapi("ProcessStatus", { example: { state: "exited", exit_code: 0, cpu_pct: 0 } });

export const processInputSchema = z.object({
  data_b64: base64Bytes.openapi({ description: "Bytes to write, in base64.", example: "aGVsbG8K" }),
});

export const writtenSchema = z.object({
  written_bytes: countOf("Number of bytes written.", 6),
});

export const killSchema = z.object({
  signal: z
    .enum(["TERM", "KILL", "INT", "HUP"], "invalid signal: one of TERM, KILL, INT, HUP")
    .openapi({ description: "Signal to send. KILL cannot be caught.", example: "TERM" }),
});

export const doneSchema = z.object({ ok: z.literal(true).describe("Always true.") });

export const resizeSchema = z.object({ rows: rowsSchema, cols: columnsSchema });

export const processOutputSchema = z
  .object({
    stream: z
      .enum(["stdout", "stderr"])
      .optional()
      .openapi({ description: "Stream of the output; absent in the last event.", example: "stdout" }),
    data_b64: textOf("Output, in base64; absent in the last event.", "aGVsbG8K").optional(),
    event: z.literal("exit").optional().describe("Only in the last event, when the process has ended."),
    exit_code: countOf(
      "Exit code, only in the last event; -1 when a signal ended the process.",
      0,
    ).optional(),
  })
  .openapi("ProcessOutput", { example: { stream: "stdout", data_b64: "aGVsbG8K" } });
