import type { z } from "@hono/zod-openapi";
import { errorBodySchema } from "./wire-error.ts";

/** The body of a route that reads it with {@link jsonBody}. It may be left out where `{}` would do. */
export function jsonRequest<T extends z.ZodType>(schema: T) {
  return { required: !schema.safeParse({}).success, content: { "application/json": { schema } } };
}

/** A form with files. Its schema is documentation alone: forms are read as they arrive. */
export function multipartRequest<S extends object>(schema: S) {
  return { required: true, content: { "multipart/form-data": { schema } } };
}

/** A JSON answer. */
export function jsonResponse<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { "application/json": { schema } } } as const;
}

/** A JSON answer that is sent as a stream: types do not know what it holds. */
export function jsonStreamResponse<T extends z.ZodType>(schema: T, description: string) {
  const content: Record<string, { schema: T }> = { "application/json": { schema } };
  return { description, content };
}

const ERROR_DESCRIPTIONS = {
  400: "Invalid input; `details` names each field.",
  401: "No or bad credentials.",
  403: "Not allowed.",
  404: "Unknown, or not the caller's.",
  409: "In conflict with what is there.",
  413: "The body is too large.",
  429: "A limit is reached, or this address has failed to authenticate too often.",
  500: "The service failed.",
  501: "Not built.",
  503: "Something the service needs does not answer; try again.",
} as const;

type ErrorStatus = keyof typeof ERROR_DESCRIPTIONS;

/** What every route can answer: 404 where a header names a project, 429 where too many calls fail to authenticate. */
const ALWAYS = [401, 403, 404, 429, 500, 503] as const;

/** Headers of an error, in the form of OpenAPI. */
const ERROR_HEADERS = {
  "x-should-retry": {
    description: "Whether to repeat the call unchanged; absent: clients decide by the status.",
    schema: { type: "string" as const, enum: ["true", "false"] },
  },
  "retry-after": {
    description: "When to try again, in seconds.",
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

/** The error answers of a route: those named, and those that every route can give. */
export function errorResponses<S extends ErrorStatus = never>(...statuses: S[]): ErrorResponses<S> {
  const entries = [...new Set<ErrorStatus>([...ALWAYS, ...statuses])].sort().map((status) => [
    status,
    {
      description: ERROR_DESCRIPTIONS[status],
      headers: ERROR_HEADERS,
      content: { "application/json": { schema: errorBodySchema } },
    },
  ]);
  // The entries are exactly these statuses; Object.fromEntries forgets which.
  return Object.fromEntries(entries) as ErrorResponses<S>;
}

/** Name of the security scheme of routes that want an API key. */
export const API_KEY_SECURITY = [{ apiKey: [] as string[] }];

/** Name of the security scheme of the operator's routes. */
export const OPERATOR_SECURITY = [{ operatorToken: [] as string[] }];
