import { z } from "@hono/zod-openapi";
import { queryInteger } from "../../http/pagination.ts";

export const createHandoffSchema = z
  .object({
    instructions: z.string().trim().min(1).max(2000).openapi({
      description: "What the person is to do, as plain text.",
      example: "Log in to the shop, then press Done.",
    }),
    expires_in_seconds: z.int().min(1).max(86_400).default(600).openapi({
      description: "How long the person has. The session does not time out meanwhile.",
    }),
    pause_agent: z.boolean().default(false).openapi({
      description: "Whether computer calls of the API wait meanwhile. DevTools clients are not held.",
    }),
  })
  .openapi("CreateHandoff");

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
    handoff_id: z.string().openapi({ description: "Its id.", example: "h0m3q9x7c2v5b8n1k4j6h0gd" }),
    status: z.enum(["pending", "done", "expired", "withdrawn"]).openapi({
      description: "`withdrawn`: by a call, or because the session or its lease ended.",
      example: "pending",
    }),
    instructions: z.string().openapi({ description: "What the person is to do." }),
    note: z.string().nullable().openapi({ description: "What the person wrote.", example: null }),
    pause_agent: z.boolean().openapi({ description: "Whether computer calls wait meanwhile." }),
    live_view_url: z.string().nullable().openapi({
      description: "Link for the person, valid while the handoff is pending; null afterwards.",
    }),
    created_at: z.iso.datetime().openapi({ description: "When it began.", example: EXAMPLE_TIME }),
    expires_at: z.iso.datetime().openapi({ description: "When it expires.", example: EXAMPLE_TIME }),
    completed_at: z.iso.datetime().nullable().openapi({ description: "When it ended.", example: null }),
  })
  .openapi("Handoff");

/** A handoff as it is stored and as webhooks report it. */
export type Handoff = Omit<z.infer<typeof handoffSchema>, "live_view_url">;
