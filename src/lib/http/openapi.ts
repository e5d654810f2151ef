import type { RouteConfig, z } from "@hono/zod-openapi";
import { jsonBody } from "./json-body.ts";
import { errorBodySchema } from "./wire-error.ts";

/** What is particular to a route. */
interface Declaration extends Pick<RouteConfig, "request" | "requestBody" | "responses"> {
  operationId: string;
  summary: string;
  description: string;
  deprecated?: boolean;
  /** By default `jsonBody` if the request has a JSON body. */
  middleware?: RouteConfig["middleware"];
  /** Errors besides those that follow from the request. */
  errors?: readonly ErrorStatus[];
}

type Route<Path, D> = Omit<D, "errors"> & { method: RouteConfig["method"]; path: Path };

/** Declares routes of one part of the API, such as `route("get", "/proxies", { … })`. */
export function routesOf(tag: string, security: RouteConfig["security"]) {
  return <Path extends string, D extends Declaration>(
    method: RouteConfig["method"],
    path: Path,
    declaration: D,
  ): Route<Path, D> => {
    const { errors, ...rest } = declaration;
    const hasJSON = declaration.request?.body?.content["application/json"] !== undefined;
    const middleware = hasJSON ? jsonBody : [];
    const responses = { ...declaration.responses, ...errorResponses(declaration) };
    return { tags: [tag], security, middleware, ...rest, method, path, responses };
  };
}

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

function errorResponses({ request, requestBody, errors = [] }: Declaration): RouteConfig["responses"] {
  const body = request?.body ?? requestBody;
  const statuses = new Set<ErrorStatus>([...ALWAYS, ...errors]);
  if (body !== undefined) statuses.add(413);
  if (body !== undefined || request?.query !== undefined) statuses.add(400);
  const responses: RouteConfig["responses"] = {};
  for (const status of statuses) {
    responses[status] = {
      description: ERROR_DESCRIPTIONS[status],
      headers: ERROR_HEADERS,
      content: { "application/json": { schema: errorBodySchema } },
    };
  }
  return responses;
}

export const API_KEY_SECURITY = [{ apiKey: [] as string[] }];

export const OPERATOR_SECURITY = [{ operatorToken: [] as string[] }];
