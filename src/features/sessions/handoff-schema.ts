import { z } from "@hono/zod-openapi";
import { countOf, flagOf, textOf, timeOf } from "../../lib/http/fields.ts";
import { queryInteger } from "../../lib/http/pagination.ts";

export const createHandoffSchema = z.object({
  instructions: z.string().trim().min(1).max(2000).openapi({
    description: "What the person should do, as plain text.",
    example: "Log in to the shop, then press Done.",
  }),
  expires_in_seconds: countOf("How long the person has. The session does not time out during this time.")
    .min(1)
    .max(86_400)
    .default(600),
  pause_agent: flagOf(
    "Whether computer calls of the API wait until the handoff ends. DevTools clients are not held.",
  ).default(false),
});

export type CreateHandoff = z.infer<typeof createHandoffSchema>;

export const waitQuerySchema = z.object({
  wait_seconds: queryInteger({
    minimum: 0,
    maximum: 50,
    default: 50,
    description: "How long to wait for the end of a pending handoff.",
  }),
});

const EXAMPLE_TIME = "2026-01-02T16:04:05.123Z";

export const handoffSchema = z
  .object({
    handoff_id: textOf("Its id.", "h0m3q9x7c2v5b8n1k4j6h0gd"),
    status: z.enum(["pending", "done", "expired", "withdrawn"]).openapi({
      description: "`withdrawn`: by a call, or because the session or its lease ended.",
      example: "pending",
    }),
    instructions: textOf("What the person should do."),
    note: textOf("What the person wrote.", null).nullable(),
    pause_agent: flagOf("Whether computer calls wait until the handoff ends."),
    live_view_url: textOf(
      "Link for the person, valid while the handoff is pending; null afterwards.",
    ).nullable(),
    created_at: z.iso.datetime().openapi({ description: "When it began.", example: EXAMPLE_TIME }),
    expires_at: z.iso.datetime().openapi({ description: "When it expires.", example: EXAMPLE_TIME }),
    completed_at: timeOf("When it ended.", null).nullable(),
  })
  .openapi("Handoff");

export const pendingHandoffSchema = handoffSchema
  .extend({
    session_id: textOf("The session that waits.", "htzv5orfit78e1m2biiifpbv"),
    session_name: textOf("Its name.", "shop").nullable(),
  })
  .openapi("PendingHandoff");

/** A handoff as it is stored and as webhooks report it. */
export type Handoff = Omit<z.infer<typeof handoffSchema>, "live_view_url">;
