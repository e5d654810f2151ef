import { z } from "@hono/zod-openapi";
import { countOf, flagOf, textOf } from "../../lib/http/fields.ts";

export const executeSchema = z.object({
  code: z
    .string()
    .refine((code) => code.trim() !== "", "must not be empty")
    .openapi({
      description:
        "Body of an async function, TypeScript or JavaScript, with `page`, `context` and `browser` of Playwright " +
        "in scope. The return value is the result.",
      example: 'await page.goto("https://example.com");\nreturn await page.title();',
    }),
  timeout_sec: countOf("Seconds after which the code is ended.").min(1).max(300).default(60),
});

export const executionSchema = z
  .object({
    success: flagOf("Whether the code ran to its end.", true),
    result: z.unknown().optional().openapi({
      description: "Value that the code returned, as JSON; null when it returned nothing. Only on success.",
      example: "Example Domain",
    }),
    error: textOf("Why the code failed. Only on failure.").optional(),
    stdout: textOf("Output of `console.log` and the like.", "title read\n"),
    stderr: textOf("Output of `console.error` and the like, and the stack of an error that was thrown.", ""),
  })
  .openapi("PlaywrightExecution", {
    example: { success: true, result: "Example Domain", stdout: "title read\n", stderr: "" },
  });
