import type { z } from "@hono/zod-openapi";
import { errorBodySchema } from "./wire-error.ts";

/** The body is optional if `{}` is valid. */
export function jsonRequest<T extends z.ZodType>(schema: T) {
  return { required: !schema.safeParse({}).success, content: { "application/json": { schema } } };
}

/** The schema is documentation only: forms are parsed as they arrive. */
export function multipartRequest<S extends object>(schema: S) {
  return { required: true, content: { "multipart/form-data": { schema } } };
}

export function jsonResponse<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { "application/json": { schema } } } as const;
}

/** A streamed JSON response. The wide type keeps Hono from checking the handler's result. */
export function jsonStreamResponse<T extends z.ZodType>(schema: T, description: string) {
  const content: Record<string, { schema: T }> = { "application/json": { schema } };
  return { description, content };
}

const ERROR_DESCRIPTIONS = {
  400: "Invalid input; `details` names each field.",
  401: "Missing or invalid credentials.",
  402: "The organization's budget of this month is used up.",
  403: "Not allowed.",
  404: "Not found, or not the caller's.",
  409: "Conflicts with the current state.",
  413: "The body is too large.",
  429: "A limit is reached, or this address has failed to authenticate too often.",
  500: "Internal error.",
  501: "Not implemented.",
  503: "A dependency of the service is unavailable; try again.",
  507: "The disk of a local service, or the storage of the session's files, is full.",
} as const;

type ErrorStatus = keyof typeof ERROR_DESCRIPTIONS;

/** Every route can answer these: 404 for an unknown project, 429 for too many failed authentications. */
const ALWAYS = [401, 403, 404, 429, 500, 503, 507] as const;

const ERROR_HEADERS = {
  "x-should-retry": {
    description: "Whether to retry the unchanged call; if absent, clients decide by the status.",
    schema: { type: "string" as const, enum: ["true", "false"] },
  },
  "retry-after": {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer" as const, minimum: 1 },
  },
};

type ErrorResponses<S extends ErrorStatus> = Record<
  S | (typeof ALWAYS)[number],
  {
    description: string;
    headers: typeof ERROR_HEADERS;
    content: { "application/json": { schema: typeof errorBodySchema } };
  }
>;

export function errorResponses<S extends ErrorStatus = never>(...statuses: S[]): ErrorResponses<S> {
  const entries = [...new Set<ErrorStatus>([...ALWAYS, ...statuses])].sort().map((status) => [
    status,
    {
      description: ERROR_DESCRIPTIONS[status],
      headers: ERROR_HEADERS,
      content: { "application/json": { schema: errorBodySchema } },
    },
  ]);
  // `Object.fromEntries` loses the keys.
  return Object.fromEntries(entries) as ErrorResponses<S>;
}

export const API_KEY_SECURITY = [{ apiKey: [] as string[] }];

export const OPERATOR_SECURITY = [{ operatorToken: [] as string[] }];
