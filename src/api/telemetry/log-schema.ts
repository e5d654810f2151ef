import { z } from "@hono/zod-openapi";
import { eventName } from "../../lib/http/event-stream-response.ts";
import { textOf, timeOf } from "../../lib/http/fields.ts";
import { queryBoolean } from "../../lib/http/pagination.ts";
import { pathSchema } from "../files/schema.ts";

export const logQuerySchema = z
  .object({
    source: z
      .enum(["path", "supervisor"])
      .openapi({ description: "`path`: a file of the session. `supervisor`: the browser.", example: "path" }),
    follow: queryBoolean({
      default: true,
      description: "Send new lines until the session ends. false: only the existing lines.",
    }),
    path: pathSchema.optional().openapi({
      description: "Absolute path of the file, if `source` is `path`.",
      example: "/tmp/build.log",
      param: { required: false },
    }),
    supervisor_process: textOf(
      "Process, if `source` is `supervisor`. Only `chromium`, the default, has a log.",
      "chromium",
    ).optional(),
  })
  .superRefine(({ source, path }, context) => {
    if (source === "path" && path === undefined) {
      context.addIssue({ code: "custom", path: ["path"], message: "is required with source=path" });
    }
  });

export const logEventSchema = z
  .object({
    event: eventName("log"),
    message: textOf("The line.", "[error] no price"),
    timestamp: timeOf("When it was logged, or read from its file."),
  })
  .openapi("LogEvent");
