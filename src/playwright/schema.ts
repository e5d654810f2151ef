import { z } from "@hono/zod-openapi";

export const executeSchema = z
  .object({
    code: z
      .string({ error: "is required" })
      .refine((code) => code.trim() !== "", "must not be empty")
      .openapi({
        description:
          "Body of an async function, TypeScript or JavaScript, with `page`, `context` and `browser` of Playwright " +
          "in scope. The return value is the result.",
        example: 'await page.goto("https://example.com");\nreturn await page.title();',
      }),
    timeout_sec: z
      .int()
      .min(1)
      .max(300)
      .default(60)
      .openapi({ description: "Seconds after which the code is ended." }),
  })
  .openapi("ExecutePlaywright");

export const executionSchema = z
  .object({
    success: z.boolean().openapi({ description: "Whether the code ran to its end.", example: true }),
    result: z.unknown().optional().openapi({
      description: "Value that the code returned, as JSON; null when it returned nothing. Only on success.",
      example: "Example Domain",
    }),
    error: z.string().optional().openapi({ description: "Why the code failed. Only on failure." }),
    stdout: z
      .string()
      .openapi({ description: "Output of `console.log` and the like.", example: "title read\n" }),
    stderr: z.string().openapi({
      description: "Output of `console.error` and the like, and the stack of an error that was thrown.",
      example: "",
    }),
  })
  .openapi("PlaywrightExecution", {
    example: { success: true, result: "Example Domain", stdout: "title read\n", stderr: "" },
  });
