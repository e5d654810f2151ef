import { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Env as HonoEnv } from "hono";
import { badRequest } from "../common/errors.ts";
import { toQueryProblem } from "./issue-messages.ts";
import { matchedRoute } from "./request-log.ts";
import { noteUnknownFields } from "./unknown-fields.ts";

export function newRouter<E extends HonoEnv>(): OpenAPIHono<E> {
  const router = new OpenAPIHono<E>({
    defaultHook: async (result, c) => {
      if (!result.success) {
        const queries = result.target === "query" ? c.req.queries() : {};
        throw badRequest(...result.error.issues.map((issue) => toQueryProblem(issue, queries)));
      }
      if (result.target !== "json" && result.target !== "query") return;
      schemas ??= listSchemas(router.openAPIRegistry);
      const route = `${c.req.method} ${matchedRoute(c)}`;
      const { query, body } = schemas.get(route) ?? {};
      if (result.target === "query") noteUnknownFields(c, route, query, parametersOf(c.req.queries()));
      else noteUnknownFields(c, route, body, await c.req.json());
    },
  });
  let schemas: Map<string, RequestSchemas> | undefined;
  return router;
}

interface RequestSchemas {
  query?: z.ZodType;
  body?: z.ZodType;
}

/** By method and Hono's pattern, such as `POST /browsers`. */
function listSchemas({ definitions }: OpenAPIHono["openAPIRegistry"]): Map<string, RequestSchemas> {
  const schemas = new Map<string, RequestSchemas>();
  for (const definition of definitions) {
    if (definition.type !== "route") continue;
    const { method, path, request } = definition.route;
    const content = request?.body?.content["application/json"];
    const body = content !== undefined && "schema" in content ? content.schema : undefined;
    const route = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
    schemas.set(route, {
      query: request?.query instanceof z.ZodType ? request.query : undefined,
      body: body instanceof z.ZodType ? body : undefined,
    });
  }
  return schemas;
}

/** `tags[team]=a` is a part of `tags`. */
function parametersOf(queries: Record<string, string[]>): Record<string, unknown> {
  return Object.fromEntries(Object.keys(queries).map((name) => [name.split("[", 1)[0] ?? "", ""]));
}
