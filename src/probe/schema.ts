import { z } from "@hono/zod-openapi";
import { CHECKS, type CheckName, featuresOf } from "../capabilities/index.ts";
import { type CapabilityRow, OUTCOMES } from "../database/schema/capabilities.ts";
import { SERVICE_CHECKS } from "./all-checks.ts";

const count = z.int().min(0);

export const checkParamSchema = z.object({
  check: z.string().openapi({ description: "A name from GET /admin/probes.", example: "hold_popups" }),
});

export const startProbeBodySchema = z.object({
  proxy: z
    .url({ protocol: /^https?$/, error: "must be the http or https URL of a proxy" })
    .optional()
    .openapi({
      description: "A working proxy for `context_proxy`, with its user name and password. It is not stored.",
      example: "http://user:password@proxy.example.com:3128",
    }),
  seconds: z
    .int()
    .min(1)
    .max(3000)
    .default(1800)
    .openapi({ description: "How long a long check runs, in seconds." }),
});

const findingShape = {
  outcome: z.enum(OUTCOMES).openapi({
    description:
      "`holds`: seen. `differs`: the platform does not do it. `untried`: nothing is known, for the reason in `seen`.",
  }),
  seen: z.string().max(500).openapi({ description: "What was seen, such as the browser's refusal." }),
  details: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .openapi({ description: "Figures and exact refusals; keys depend on the check." }),
  duration_ms: count.openapi({ description: "How long it took, in milliseconds." }),
};

export const reportBodySchema = z.object({ ...findingShape, details: findingShape.details.default({}) });

export const probeSchema = z
  .object({
    name: z.string(),
    title: z.string().openapi({ description: "What should hold." }),
    runs_in: z.enum(["service", "client"]).openapi({
      description:
        "`service`: started by POST. `client`: tried by `npm run probe`, which reports its result.",
    }),
    is_long: z.boolean().openapi({ description: "Whether it runs for minutes in the background." }),
    features: z.array(z.string()).openapi({
      description:
        "Fields of requests that are refused with 501 if it differs, some only with another check.",
      example: ["proxy_id"],
    }),
  })
  .openapi("Probe");

export const capabilitySchema = z
  .object({
    name: z.string().openapi({ description: "Name of the check." }),
    title: z.string().openapi({ description: "What should hold." }),
    features: probeSchema.shape.features,
    ...findingShape,
    measured_at: z.iso.datetime(),
    cost: z
      .object({
        browsers: count,
        browser_seconds: count,
        d1_rows_read: count,
        d1_rows_written: count,
        r2_writes: count.openapi({ description: "Class A operations." }),
        r2_reads: count.openapi({ description: "Class B operations." }),
        dynamic_workers: count.openapi({ description: "Dynamic Workers loaded." }),
      })
      .openapi({ description: "What the check used." }),
  })
  .openapi("Capability");

export const startedProbeSchema = z.object({ name: z.string(), started_at: z.iso.datetime() });

const SERVICE_NAMES = new Map(SERVICE_CHECKS.map(({ name, isLong = false }) => [name, isLong]));

/** The checks that only a client can try. */
export function isClientCheck(name: string): name is CheckName {
  return isCheck(name) && !SERVICE_NAMES.has(name);
}

export function isCheck(name: string): name is CheckName {
  return name in CHECKS;
}

export function listProbes(): z.infer<typeof probeSchema>[] {
  return Object.keys(CHECKS)
    .filter(isCheck)
    .map((name) => ({
      name,
      title: CHECKS[name],
      runs_in: SERVICE_NAMES.has(name) ? "service" : "client",
      is_long: SERVICE_NAMES.get(name) ?? false,
      features: featuresOf(name),
    }));
}

export function presentCapability(row: CapabilityRow): z.infer<typeof capabilitySchema> {
  const { name, outcome, seen, details, cost } = row;
  const check = isCheck(name)
    ? { title: CHECKS[name], features: featuresOf(name) }
    : { title: name, features: [] };
  return {
    name,
    ...check,
    outcome,
    seen,
    details,
    measured_at: new Date(row.measuredAt).toISOString(),
    duration_ms: row.durationMs,
    cost: {
      browsers: cost.browsers,
      browser_seconds: cost.browserSeconds,
      d1_rows_read: cost.d1RowsRead,
      d1_rows_written: cost.d1RowsWritten,
      r2_writes: cost.r2Writes,
      r2_reads: cost.r2Reads,
      dynamic_workers: cost.dynamicWorkers,
    },
  };
}
