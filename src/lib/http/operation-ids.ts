import type { OpenAPIHono } from "@hono/zod-openapi";

/** The ids of declared routes, by method and Hono's pattern, such as `GET /browsers/:id`. */
export function listOperationIds(
  registries: readonly Pick<OpenAPIHono["openAPIRegistry"], "definitions">[],
): Map<string, string> {
  const routes = registries.flatMap(({ definitions }) =>
    definitions.flatMap((definition) => (definition.type === "route" ? [definition.route] : [])),
  );
  return new Map(
    routes.flatMap(({ method, path, operationId }) =>
      operationId === undefined
        ? []
        : [[`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`, operationId]],
    ),
  );
}
