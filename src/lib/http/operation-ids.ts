import type { OpenAPIHono } from "@hono/zod-openapi";

interface Operation {
  operationId?: string;
  summary?: string;
}

const METHODS = ["get", "put", "post", "delete", "patch"] as const;

const ARTICLES = new Set(["a", "an", "the"]);

/** Derives operation ids from summaries: "List API keys" becomes `listAPIKeys`. */
export function withOperationIds<
  D extends { paths?: Record<string, Partial<Record<(typeof METHODS)[number], Operation>>> },
>(document: D): D {
  for (const path of Object.values(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = path[method];
      if (operation !== undefined) operation.operationId = operationId(operation.summary ?? "");
    }
  }
  return document;
}

/** The ids of declared routes, by method and Hono's pattern, such as `GET /browsers/:id`. */
export function listOperationIds(
  registries: readonly Pick<OpenAPIHono["openAPIRegistry"], "definitions">[],
): Map<string, string> {
  const routes = registries.flatMap(({ definitions }) =>
    definitions.flatMap((definition) => (definition.type === "route" ? [definition.route] : [])),
  );
  return new Map(
    routes.map(({ method, path, summary = "" }) => [
      `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
      operationId(summary),
    ]),
  );
}

function operationId(summary: string): string {
  const words = summary
    .replaceAll(/'s?\b/g, "")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "" && !ARTICLES.has(word.toLowerCase()));
  return words
    .map((word, index) => (index === 0 ? word.toLowerCase() : word[0]?.toUpperCase() + word.slice(1)))
    .join("");
}
