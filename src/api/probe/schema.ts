import { z } from "@hono/zod-openapi";
import { LONG_CHECKS, SERVICE_CHECKS } from "../../features/probe/index.ts";
import type { CapabilityRow } from "../../lib/database/schema/capabilities.ts";
import { countOf, flagOf, textOf, timeOf } from "../../lib/http/fields.ts";
import {
  CHECK_NAMES,
  CHECKS,
  type CheckName,
  featuresOf,
  OUTCOMES,
} from "../../platform/capabilities/index.ts";

const runsIn = (name: CheckName) => (name in SERVICE_CHECKS ? "service" : "client");

/** The path of a check that the service tries, or that only a client can try. */
export function checkParamSchema(place: "service" | "client") {
  const names = CHECK_NAMES.filter((name) => runsIn(name) === place);
  return z.object({ check: z.enum(names).describe("A name in GET /admin/capabilities.") });
}

export const startProbeBodySchema = z.object({
  proxy: z
    .url({ protocol: /^https?$/, error: "must be the http or https URL of a proxy" })
    .optional()
    .openapi({
      description:
        "A working proxy for `context_proxy`, with user name and password if it needs them. Not stored.",
      example: "http://user:password@proxy.example.com:3128",
    }),
  seconds: countOf("How long a long check runs, in seconds.").min(1).max(3000).default(1800),
});

const findingSchema = z.object({
  outcome: z
    .enum(OUTCOMES)
    .describe(
      "`holds`: it was observed. `differs`: the platform does not do it. `untried`: nothing is known, for the reason in `seen`.",
    ),
  seen: textOf("What was observed, such as the browser's refusal.").max(500),
  details: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .default({})
    .describe("Figures and exact refusals; the keys depend on the check."),
  duration_ms: countOf("How long it took, in milliseconds.").min(0),
});

export const findingBodySchema = findingSchema.openapi({
  example: {
    outcome: "holds",
    seen: "Messages of 1, 4, 16 and 31 MiB came back whole.",
    details: { largest_mib: 31 },
    duration_ms: 4200,
  },
});

export const capabilitySchema = findingSchema
  .extend({
    name: textOf("Name of the check."),
    title: textOf("What should hold."),
    runs_in: z
      .enum(["service", "client"])
      .describe("`client`: only `npm run probe` can try it, and reports its result."),
    is_long: flagOf("Whether it runs for minutes in the background."),
    features: z.array(z.string()).openapi({
      description:
        "Fields that are refused with 501 if it differs; `extensions` only if two of its checks do.",
      example: ["proxy_id"],
    }),
    measured_at: timeOf("Null: it was never tried.").nullable(),
    cost: z
      .record(z.string(), z.number())
      .describe(
        "What it used: browsers, browser_seconds, d1_rows_read, d1_rows_written, r2_writes, r2_reads, dynamic_workers.",
      ),
  })
  .openapi("Capability");

/** @param row undefined: the check was never tried. */
export function presentCapability(name: CheckName, row?: CapabilityRow): z.infer<typeof capabilitySchema> {
  return {
    name,
    title: CHECKS[name],
    runs_in: runsIn(name),
    is_long: LONG_CHECKS.has(name),
    features: featuresOf(name),
    outcome: row?.outcome ?? "untried",
    seen: row?.seen ?? "never tried",
    details: row?.details ?? {},
    duration_ms: row?.durationMs ?? 0,
    measured_at: row === undefined ? null : new Date(row.measuredAt).toISOString(),
    cost: row?.cost ?? {},
  };
}
