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

function operationId(summary: string): string {
  const words = summary
    .replaceAll(/'s?\b/g, "")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "" && !ARTICLES.has(word.toLowerCase()));
  return words
    .map((word, index) => (index === 0 ? word.toLowerCase() : word[0]?.toUpperCase() + word.slice(1)))
    .join("");
}
