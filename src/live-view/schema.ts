import { z } from "@hono/zod-openapi";

export const createLiveViewURLSchema = z
  .object({
    mode: z
      .enum(["watch", "control"])
      .default("watch")
      .openapi({ description: "Whether whoever has the link only watches, or has mouse and keyboard too." }),
    expires_in_seconds: z
      .int()
      .min(1)
      .optional()
      .openapi({ description: "Never longer than TOKEN_LIFETIME_SECONDS, which it is when absent." }),
  })
  .openapi("CreateLiveViewURL");

export const liveViewURLSchema = z
  .object({
    url: z.string().openapi({ description: "Carries its own token, wants no API key." }),
    mode: z.enum(["watch", "control"]),
    expires_at: z.iso.datetime(),
  })
  .openapi("LiveViewURL");
