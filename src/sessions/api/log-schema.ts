import { z } from "@hono/zod-openapi";
import { eventName } from "../../http/event-stream-response.ts";
import { queryBoolean } from "../../http/pagination.ts";
import { pathSchema } from "./file-schema.ts";

export const logQuerySchema = z
  .object({
    source: z
      .enum(["path", "supervisor"])
      .openapi({ description: "`path`: a file of the session. `supervisor`: the browser.", example: "path" }),
    follow: queryBoolean({
      default: true,
      description: "Send new lines until the session ends. false: the lines that there are.",
    }),
    path: pathSchema.optional().openapi({
      description: "Absolute path of the file, if `source` is `path`.",
      example: "/tmp/build.log",
      param: { required: false },
    }),
    supervisor_process: z.string().optional().openapi({
      description: "Process, if `source` is `supervisor`. Only `chromium`, the default, has a log.",
      example: "chromium",
    }),
  })
  .superRefine(({ source, path }, context) => {
    if (source === "path" && path === undefined) {
      context.addIssue({ code: "custom", path: ["path"], message: "is required with source=path" });
    }
  });

export const logEventSchema = z
  .object({
    event: eventName("log"),
    message: z.string().openapi({ description: "The line.", example: "[error] no price" }),
    timestamp: z.iso.datetime().openapi({
      description: "When it was logged, or read from its file.",
      example: "2026-01-02T15:04:05.123Z",
    }),
  })
  .openapi("LogEvent");
