import { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Env as HonoEnv } from "hono";
import { badRequest } from "../common/errors.ts";
import { toProblem } from "./issue-messages.ts";
import { matchedRoute } from "./request-log.ts";
import { noteUnknownFields } from "./unknown-fields.ts";

export function newRouter<E extends HonoEnv>(): OpenAPIHono<E> {
  const router = new OpenAPIHono<E>({
    defaultHook: async (result, c) => {
      if (!result.success) throw badRequest(...result.error.issues.map(toProblem));
      if (result.target !== "json") return;
      bodySchemas ??= listBodySchemas(router.openAPIRegistry);
      const route = `${c.req.method} ${matchedRoute(c)}`;
      const schema = bodySchemas.get(route);
      if (schema !== undefined) noteUnknownFields(c, route, schema, await c.req.json());
    },
  });
  let bodySchemas: Map<string, z.ZodType> | undefined;
  return router;
}

/** By method and Hono's pattern, such as `POST /browsers`. */
function listBodySchemas({ definitions }: OpenAPIHono["openAPIRegistry"]): Map<string, z.ZodType> {
  const schemas = new Map<string, z.ZodType>();
  for (const definition of definitions) {
    if (definition.type !== "route") continue;
    const { method, path, request } = definition.route;
    const content = request?.body?.content["application/json"];
    const schema = content !== undefined && "schema" in content ? content.schema : undefined;
    const route = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
    if (schema instanceof z.ZodType) schemas.set(route, schema);
  }
  return schemas;
}
