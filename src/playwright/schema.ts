import { z } from "@hono/zod-openapi";

export const executeSchema = z
  .object({
    code: z
      .string({ error: "is required" })
      .refine((code) => code.trim() !== "", "must not be empty")
      .openapi({
        description:
          "Body of an async function, TypeScript or JavaScript, with `page`, `context` and `browser` of Playwright " +
          "in scope. What it returns is the result.",
        example: 'await page.goto("https://example.com");\nreturn await page.title();',
      }),
    timeout_sec: z
      .int()
      .min(1)
      .max(300)
      .default(60)
      .openapi({ description: "After so many seconds it is ended." }),
  })
  .openapi("ExecutePlaywright");

export const executionSchema = z
  .object({
    success: z.boolean(),
    result: z.unknown().optional().openapi({
      description: "What the code returned, as JSON; null where that was nothing. Only of a success.",
    }),
    error: z.string().optional().openapi({ description: "Why it failed. Only of a failure." }),
    stdout: z.string().openapi({ description: "What it wrote with `console.log` and the like." }),
    stderr: z.string().openapi({
      description: "What it wrote with `console.error` and the like, and the stack of what it threw.",
    }),
  })
  .openapi("PlaywrightExecution");
