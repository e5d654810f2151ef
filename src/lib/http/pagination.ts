import { z } from "@hono/zod-openapi";
import { textOf } from "./fields.ts";
import { jsonResponse } from "./openapi.ts";

/** An integer query parameter. Values out of range are refused, not clamped. */
export function queryInteger<D extends number | undefined>(options: {
  minimum: number;
  maximum?: number;
  default: D;
  description: string;
}) {
  const { minimum, maximum = Number.MAX_SAFE_INTEGER } = options;
  const range =
    options.maximum === undefined
      ? `a number of at least ${minimum}`
      : `a number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^-?\d+$/, `must be ${range}`)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `must be ${range}`)
    .optional()
    .transform((value): number | D => value ?? options.default)
    .openapi({
      type: "integer",
      minimum,
      ...(options.maximum === undefined ? {} : { maximum: options.maximum }),
      default: options.default,
      description: options.description,
      param: { required: false },
    });
}

export function queryBoolean(options: { default: boolean; description: string; deprecated?: boolean }) {
  return z
    .enum(["true", "false"])
    .optional()
    .transform((value) => (value === undefined ? options.default : value === "true"))
    .openapi({
      type: "boolean",
      default: options.default,
      description: options.description,
      deprecated: options.deprecated,
      param: { required: false },
    });
}

export const pageQuerySchema = z.object({
  limit: queryInteger({
    minimum: 1,
    maximum: 100,
    default: 20,
    description: "Maximum number of results to return.",
  }),
  offset: queryInteger({ minimum: 0, default: 0, description: "Number of results to skip." }),
});

export interface PageRequest {
  limit: number;
  offset: number;
}

export const pageHeadersSchema = z.object({
  "X-Has-More": z.enum(["true", "false"]).describe("Whether another page follows."),
  "X-Next-Offset": textOf("`offset` of the next page; absent on the last page.").optional(),
});

/** A list's response. @param item schema of one of its items. */
export function pageResponse<T extends z.ZodType>(item: T, description: string) {
  return { ...jsonResponse(z.array(item), description), headers: pageHeadersSchema };
}

/** Cuts a page out of rows that were read with `limit + 1`: the extra row shows that another page follows. */
export function toPage<T>(
  rows: T[],
  { limit, offset }: PageRequest,
): { items: T[]; headers: Record<string, string> } {
  if (rows.length <= limit) return { items: rows, headers: { "X-Has-More": "false" } };
  return {
    items: rows.slice(0, limit),
    headers: { "X-Has-More": "true", "X-Next-Offset": String(offset + limit) },
  };
}
