import { z } from "zod";

/** JSON of opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest 1.9. Unknown fields are refused. */
const fixed64 = z.string().regex(/^\d{1,20}$/);
const int64 = z.string().regex(/^-?\d{1,19}$/);
const uint32 = z.int().min(0).max(0xffff_ffff);
const text = z.string().refine((value) => value.isWellFormed(), "is not UTF-8");

export type AnyValue = {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string;
  doubleValue?: number;
  arrayValue?: { values: AnyValue[] };
  kvlistValue?: { values: { key: string; value: AnyValue }[] };
  bytesValue?: string;
};

const anyValue: z.ZodType<AnyValue> = z.lazy(() =>
  z
    .strictObject({
      stringValue: text.optional(),
      boolValue: z.boolean().optional(),
      intValue: int64.optional(),
      doubleValue: z.number().optional(),
      arrayValue: z.strictObject({ values: z.array(anyValue) }).optional(),
      kvlistValue: z.strictObject({ values: keyValues }).optional(),
      bytesValue: z.base64().optional(),
    })
    .refine((value) => Object.keys(value).length <= 1, "is a oneof"),
);

const keyValues = z
  .array(z.strictObject({ key: text, value: anyValue }))
  .refine((list) => new Set(list.map(({ key }) => key)).size === list.length, "keys must be unique");

const logRecord = z.strictObject({
  timeUnixNano: fixed64,
  observedTimeUnixNano: fixed64,
  severityNumber: z.int().min(0).max(24),
  severityText: text,
  body: anyValue,
  attributes: keyValues,
  droppedAttributesCount: uint32.optional(),
  flags: uint32.optional(),
  traceId: z
    .string()
    .regex(/^[\da-f]{32}$/i)
    .optional(),
  spanId: z
    .string()
    .regex(/^[\da-f]{16}$/i)
    .optional(),
  eventName: text,
});

const attributes = { attributes: keyValues.optional(), droppedAttributesCount: uint32.optional() };

export const exportLogsRequest = z.strictObject({
  resourceLogs: z
    .array(
      z.strictObject({
        resource: z.strictObject(attributes),
        scopeLogs: z.array(
          z.strictObject({
            scope: z.strictObject({ name: text, version: text.optional(), ...attributes }),
            logRecords: z.array(logRecord).min(1),
            schemaUrl: text.optional(),
          }),
        ),
        schemaUrl: text.optional(),
      }),
    )
    .length(1),
});

export type LogRecord = z.infer<typeof logRecord>;
