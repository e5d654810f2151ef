import { z } from "@hono/zod-openapi";
import { countOf, textOf, timeOf } from "../../lib/http/fields.ts";

export const createLiveViewURLSchema = z.object({
  mode: z
    .enum(["watch", "control"])
    .default("watch")
    .describe("`watch` only shows the session. `control` also allows mouse and keyboard input."),
  expires_in_seconds: countOf(
    "Seconds until the link expires. Default and maximum: the service's TOKEN_LIFETIME_SECONDS.",
    3600,
  )
    .min(1)
    .optional(),
});

export const liveViewURLSchema = z
  .object({
    url: textOf(
      "Address of the page. It carries its own token and needs no API key.",
      "https://berth.example.com/live/htzv5orfit78e1m2biiifpbv?jwt=…",
    ),
    mode: z.enum(["watch", "control"]).openapi({ description: "What the link allows.", example: "watch" }),
    expires_at: timeOf("When the link expires.", "2026-01-02T16:04:05.123Z"),
  })
  .openapi("LiveViewURL");
