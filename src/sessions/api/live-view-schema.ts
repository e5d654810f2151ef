import { z } from "@hono/zod-openapi";

export const createLiveViewURLSchema = z
  .object({
    mode: z
      .enum(["watch", "control"])
      .default("watch")
      .openapi({ description: "`watch` only shows the session. `control` also gives mouse and keyboard." }),
    expires_in_seconds: z.int().min(1).optional().openapi({
      description:
        "Seconds until the link expires. Default and maximum: the service's TOKEN_LIFETIME_SECONDS.",
      example: 3600,
    }),
  })
  .openapi("CreateLiveViewURL");

export const liveViewURLSchema = z
  .object({
    url: z.string().openapi({
      description: "Address of the page. It carries its own token and needs no API key.",
      example: "https://berth.example.com/live/htzv5orfit78e1m2biiifpbv?jwt=…",
    }),
    mode: z.enum(["watch", "control"]).openapi({ description: "What the link allows.", example: "watch" }),
    expires_at: z.iso
      .datetime()
      .openapi({ description: "When the link expires.", example: "2026-01-02T16:04:05.123Z" }),
  })
  .openapi("LiveViewURL");
