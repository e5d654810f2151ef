import { z } from "@hono/zod-openapi";

export const base64Bytes = z
  .string()
  .transform((text, context) => {
    try {
      return Uint8Array.fromBase64(text);
    } catch {
      context.addIssue({ code: "custom", message: "invalid base64" });
      return z.NEVER;
    }
  })
  .openapi({ type: "string", format: "byte" });
