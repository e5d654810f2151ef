import { z } from "@hono/zod-openapi";
import { countOf, timeOf } from "../../lib/http/fields.ts";

export const overviewSchema = z
  .object({
    sessions: z
      .object({
        active: countOf(
          "Sessions that count against the limit: those outside pools, including starting ones.",
          12,
        ),
        limit: countOf("Maximum number of concurrent sessions.", 100),
      })
      .describe("Sessions outside pools."),
    pools: z
      .object({
        pools: countOf("Number of pools.", 2),
        size: countOf("Sum of the sizes of all pools.", 10),
        available: countOf("Browsers that wait to be acquired.", 7),
        acquired: countOf("Browsers that are acquired.", 3),
        limit: countOf("Maximum of `size`.", 100),
      })
      .describe("Browser pools."),
    invocations: z
      .object({
        running: countOf("Running invocations.", 4),
        queued: countOf("Invocations that are about to run.", 0),
        limit: countOf("Maximum number of running and queued invocations.", 100),
      })
      .describe("Invocations of apps."),
    storage: z
      .object({
        used_bytes: countOf("Bytes of deployments, extensions, profiles and recordings.", 52_428_800),
        limit_bytes: countOf("Maximum number of bytes.", 10_737_418_240),
      })
      .describe("Stored files."),
    errors: z
      .object({
        sessions_lost: countOf("Sessions that ended with `browser_lost`.", 0),
        invocations_failed: countOf("Invocations that failed.", 1),
        deployments_failed: countOf("Deployments that failed.", 0),
        webhook_deliveries_failed: countOf("Deliveries of events that failed for good.", 0),
      })
      .describe("What went wrong since the first of `hours`."),
    hours: z
      .array(
        z.object({
          starts_at: timeOf("Beginning of the hour.", "2026-01-02T15:00:00.000Z"),
          sessions_created: countOf(
            "Sessions that began. A browser that returned to its pool is counted for its current lease only.",
            5,
          ),
          sessions_ended: countOf("Sessions that ended.", 4),
          invocations_started: countOf("Invocations that were accepted.", 9),
          errors: countOf("The sum of all `errors` in this hour.", 1),
        }),
      )
      .describe("The last 24 hours, oldest first. The last one is still in progress."),
  })
  .openapi("OrganizationOverview");
