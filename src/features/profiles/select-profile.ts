import { badRequest } from "../../lib/common/errors.ts";
import type { Database } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { ProfileRow } from "../../lib/database/schema/profiles.ts";
import { findProfileById, findProfileByName } from "./store.ts";

/** Exactly one field is set. */
export interface ProfileSelection {
  id?: string;
  name?: string;
}

/** @throws ServiceError 400 on `profile` if the project has no such profile. */
export async function selectProfile(
  database: Database,
  scope: ProjectScope,
  { id, name }: ProfileSelection,
): Promise<ProfileRow> {
  const found =
    id === undefined
      ? await findProfileByName(database, scope, name ?? "")
      : await findProfileById(database, scope, id);
  if (found === undefined) throw badRequest({ field: "profile", message: "profile not found" });
  return found;
}
