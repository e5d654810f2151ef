import { badRequest } from "../../lib/common/errors.ts";
import type { Database } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { ExtensionRow } from "../../lib/database/schema/extensions.ts";
import { findExtensions } from "./store.ts";

/** Exactly one field is set. */
export interface ExtensionSelection {
  id?: string;
  name?: string;
}

/**
 * Resolves selections to ids, without duplicates and in the same order.
 *
 * @throws ServiceError 400 on `extensions` if the project has no such extension.
 * @example await selectExtensions(database, scope, [{ name: "blocker" }]) // ["x2pqk5u9n0wq7c4s1d8e6r3t"]
 */
export async function selectExtensions(
  database: Database,
  scope: ProjectScope,
  selections: readonly ExtensionSelection[] = [],
): Promise<string[]> {
  if (selections.length === 0) return [];
  const [byId, byName] = await Promise.all([
    findExtensions(database, scope, { ids: selections.flatMap(({ id }) => id ?? []) }),
    findExtensions(database, scope, { names: selections.flatMap(({ name }) => name ?? []) }),
  ]);
  const ids = selections.map((selection) => {
    const found = [...byId, ...byName].find((row) => isSelected(row, selection));
    if (found !== undefined) return found.id;
    throw badRequest({ field: "extensions", message: "extension not found" });
  });
  return [...new Set(ids)];
}

function isSelected(row: ExtensionRow, { id, name }: ExtensionSelection): boolean {
  return id === undefined ? row.name === name : row.id === id;
}
