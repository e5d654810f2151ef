import { z } from "@hono/zod-openapi";
import { ServiceError } from "../../../lib/common/errors.ts";
import { INVOCATION_STATUSES, type InvocationRow } from "../../../lib/database/schema/apps.ts";
import { eventName } from "../../../lib/http/event-stream-response.ts";
import { countOf, flagOf, textOf } from "../../../lib/http/fields.ts";
import { pageQuerySchema } from "../../../lib/http/pagination.ts";
import { sinceSchema } from "../../../lib/http/parse-since.ts";
import { errorBodySchema } from "../../../lib/http/wire-error.ts";
import { MAX_VALUE_BYTES, type ValueKind } from "./value-storage.ts";

/** In bytes. Escapes can make a value three times as long as it is. */
export const MAX_BODY_BYTES = 3 * MAX_VALUE_BYTES + 64 * 1024;

const referenceSchema = z.string().min(1, "must not be empty").max(255, "must have at most 255 characters");

/** A string of JSON; "" from the Kernel CLI is no value. @throws ServiceError 413 for a value too large. */
function valueSchema(kind: ValueKind, { description, example }: { description: string; example: string }) {
  return z
    .string("must be a string of JSON")
    .refine((text) => {
      requireValueSize(kind, text);
      return text === "" || isJSON(text);
    }, "must be a string of JSON")
    .transform((text) => (text === "" ? undefined : text))
    .optional()
    .openapi({
      type: "string",
      description: `${description}, as JSON of at most ${MAX_VALUE_BYTES} bytes.`,
      example,
    });
}

function requireValueSize(kind: ValueKind, text: string): void {
  // A UTF-16 unit takes at most three bytes of UTF-8, so that most texts need no counting.
  if (text.length * 3 <= MAX_VALUE_BYTES) return;
  if (new TextEncoder().encode(text).byteLength <= MAX_VALUE_BYTES) return;
  throw new ServiceError("payload_too_large", `${kind}: may have at most ${MAX_VALUE_BYTES} bytes`);
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const MAX_GRANTS = 100;

const grantsSchema = z.array(referenceSchema).max(MAX_GRANTS).default([]);

export const createInvocationBodySchema = z.object({
  app_name: referenceSchema.openapi({ description: "Name of the app.", example: "shop" }),
  action_name: referenceSchema.openapi({ description: "Name of the action.", example: "order" }),
  version: referenceSchema.openapi({ description: "Version label of the app.", example: "latest" }),
  payload: valueSchema("payload", { description: "Input for the action", example: '{"item":"book"}' }),
  async: flagOf("Whether to answer at once with 202 instead of waiting for the end.").default(false),
  async_timeout_seconds: countOf("Time-out in seconds. Used only with `async`.")
    .min(10)
    .max(3600)
    .default(900),
  profiles: grantsSchema.describe(
    "Profiles that sessions of its run may use, by id or name, in addition to those of its deployment.",
  ),
  proxies: grantsSchema.describe(
    "Proxies that sessions of its run may use, by id or name, in addition to those of its deployment.",
  ),
});

export type CreateInvocationBody = z.infer<typeof createInvocationBodySchema>;

export const updateInvocationBodySchema = z.object({
  status: z.enum(["succeeded", "failed"]).openapi({
    description: "Final status of the invocation. `failed` cancels it.",
    example: "succeeded",
  }),
  output: valueSchema("output", { description: "Output of the invocation", example: '{"order":17}' }),
});

export type UpdateInvocationBody = z.infer<typeof updateInvocationBodySchema>;

export const invocationParamSchema = z.object({
  id: textOf("The invocation's id."),
});

export const invocationListQuerySchema = pageQuerySchema.extend({
  app_name: textOf("Invocations of this app.").optional(),
  version: textOf("Invocations of this version label.").optional(),
  action_name: textOf("Invocations of this action.").optional(),
  deployment_id: textOf("Invocations of this deployment.").optional(),
  status: z
    .enum(INVOCATION_STATUSES)
    .optional()
    .describe("Invocations of this status; of any status when absent."),
  since: sinceSchema,
  query: textOf("Part of an app's or action's name, ignoring case, or an invocation's id.").optional(),
});

export const invocationEventsQuerySchema = z.object({ since: sinceSchema });

const timeSchema = z.iso
  .datetime({ precision: 9 })
  .openapi({ description: "When it happened.", example: "2026-01-02T15:04:05.123000000Z" });

export const invocationSchema = z
  .object({
    id: textOf("Id of the invocation.", "rr33xuugxj9h0bkf1rdt2bet"),
    app_name: textOf("Name of the app.", "shop"),
    version: textOf("Version label of the app.", "latest"),
    action_name: textOf("Name of the action.", "order"),
    started_at: timeSchema.describe("When it was accepted."),
    finished_at: timeSchema.nullable().describe("When it finished; null before that."),
    status: z.enum(INVOCATION_STATUSES).openapi({
      description: "State of the invocation. `succeeded` and `failed` are final.",
      example: "succeeded",
    }),
    payload: textOf("Input of the action, as JSON.", '{"item":"book"}').optional(),
    output: textOf("Value that the action returned, as JSON.", '{"order":17}').optional(),
    status_reason: textOf("Why it has this status, if there is a reason.").optional(),
  })
  .openapi("Invocation", {
    description: "A run of an app's action.",
    example: {
      id: "rr33xuugxj9h0bkf1rdt2bet",
      app_name: "shop",
      version: "latest",
      action_name: "order",
      started_at: "2026-01-02T15:04:05.123000000Z",
      finished_at: "2026-01-02T15:04:09.456000000Z",
      status: "succeeded",
      payload: '{"item":"book"}',
      output: '{"order":17}',
    },
  });

export type InvocationBody = z.infer<typeof invocationSchema>;

export const createdInvocationSchema = invocationSchema
  .pick({ id: true, action_name: true, status: true, output: true, status_reason: true })
  .openapi("CreatedInvocation", {
    example: {
      id: "rr33xuugxj9h0bkf1rdt2bet",
      action_name: "order",
      status: "succeeded",
      output: '{"order":17}',
    },
  });

export type CreatedInvocationBody = z.infer<typeof createdInvocationSchema>;

export const invocationEventSchema = z
  .discriminatedUnion("event", [
    z.object({
      event: eventName("log"),
      message: textOf("The log line.", "Order placed"),
      timestamp: timeSchema,
    }),
    z.object({
      event: eventName("invocation_state"),
      invocation: invocationSchema,
      timestamp: timeSchema,
    }),
    z.object({ event: eventName("error"), error: errorBodySchema, timestamp: timeSchema }),
    z.object({ event: eventName("sse_heartbeat"), timestamp: timeSchema }),
  ])
  .openapi("InvocationEvent");

export type InvocationEvent = z.infer<typeof invocationEventSchema>;

/** RFC 3339 with nanoseconds. */
export function presentNanoseconds(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000000Z");
}

export function presentInvocation(
  row: InvocationRow,
  { payload, output }: Record<ValueKind, string | null>,
): InvocationBody {
  return {
    id: row.id,
    app_name: row.appName,
    version: row.version,
    action_name: row.actionName,
    started_at: presentNanoseconds(row.startedAt),
    finished_at: row.finishedAt === null ? null : presentNanoseconds(row.finishedAt),
    status: row.status,
    ...(payload === null ? {} : { payload }),
    ...(output === null ? {} : { output }),
    ...(row.statusReason === null ? {} : { status_reason: row.statusReason }),
  };
}

export function presentCreatedInvocation(
  row: Pick<InvocationRow, "id" | "actionName" | "status" | "statusReason">,
  output: string | null,
): CreatedInvocationBody {
  return {
    id: row.id,
    action_name: row.actionName,
    status: row.status,
    ...(output === null ? {} : { output }),
    ...(row.statusReason === null ? {} : { status_reason: row.statusReason }),
  };
}
