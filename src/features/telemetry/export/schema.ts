import { z } from "@hono/zod-openapi";
import { isIdentifier } from "../../../lib/common/identifiers.ts";
import type { OTLPDestinationRow } from "../../../lib/database/schema/telemetry.ts";
import { countOf, flagOf, textOf, timeOf } from "../../../lib/http/fields.ts";
import { nameSchema } from "../../../lib/http/names.ts";
import { pageQuerySchema } from "../../../lib/http/pagination.ts";

const RESERVED_HEADERS =
  /^(accept-encoding|connection|content-.*|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

const headerNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,127}$/i, "is not the name of a header")
  .refine((name) => !RESERVED_HEADERS.test(name), "is reserved");
const headerValueSchema = z
  .string()
  .max(4096)
  .regex(/^[ -~]*$/, "may hold printable ASCII characters only");

const destinationNameSchema = nameSchema
  .refine((name) => !isIdentifier(name), "must not look like an id")
  .openapi({ description: "Unique among the organization's destinations.", example: "collector" });

const endpointSchema = z
  .url({ protocol: /^https?$/, error: "must be an https address" })
  .max(2048)
  .refine((address) => {
    const url = URL.parse(address);
    return !url || url.username + url.password + url.search + url.hash === "";
  }, "must not hold credentials, a query or a fragment")
  .transform((address) => {
    const { origin, pathname } = new URL(address);
    return `${origin}${pathname}`.replace(/(?<!\/)\/+$/, "").replace(/\/v1\/logs$/, "");
  })
  .openapi({
    description:
      "Base address of an OTLP/HTTP receiver; `/v1/logs` is appended. Plain http only with `ALLOW_PRIVATE_ADDRESSES`.",
    example: "https://otlp.example.com",
  });

export const createDestinationBodySchema = z.object({
  name: destinationNameSchema,
  endpoint: endpointSchema,
  headers: z
    .record(headerNameSchema, headerValueSchema)
    .optional()
    .openapi({
      description: "Headers of each request, such as a key. They are stored encrypted and never shown.",
      example: { authorization: "Bearer key" },
    }),
});

export const updateDestinationBodySchema = z.object({
  name: destinationNameSchema.optional(),
  endpoint: endpointSchema.optional(),
  headers: z
    .record(headerNameSchema, headerValueSchema.nullable())
    .optional()
    .openapi({
      description: "Headers to set, or with null to remove. All others are kept.",
      example: { authorization: "Bearer new-key" },
    }),
});

export const destinationParamSchema = z.object({
  id_or_name: textOf("The destination's id or name."),
});

export const destinationListQuerySchema = pageQuerySchema.extend({
  name: textOf("The destination of this name.").optional(),
});

export const destinationSchema = z
  .object({
    id: textOf("Id of the destination.", "t7d3q9x7c2v5b8n1k4j6h0gd"),
    name: textOf("Its name.", "collector"),
    endpoint: textOf("Its address without `/v1/logs`.", "https://otlp.example.com"),
    headers: z.record(z.string(), z.literal("")).openapi({
      description: "Names of its headers in lower case. Values are never shown.",
      example: { authorization: "" },
    }),
    created_at: timeOf("When it was created."),
    updated_at: timeOf("When it was last changed."),
  })
  .openapi("OTLPDestination");

export const destinationTestSchema = z
  .object({
    success: flagOf("Whether the receiver accepted the record.", true),
    status: countOf("HTTP status of the receiver; absent if it did not answer.", 200).optional(),
    message: textOf("What failed.", "HTTP 401").optional(),
  })
  .openapi("OTLPDestinationTest");

export function presentDestination(row: OTLPDestinationRow): z.infer<typeof destinationSchema> {
  const { id, name, endpoint, headerNames, createdAt, updatedAt } = row;
  return {
    id,
    name,
    endpoint,
    headers: Object.fromEntries(headerNames.map((header) => [header, ""] as const)),
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}
