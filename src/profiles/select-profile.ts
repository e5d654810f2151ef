import { badRequest } from "../common/errors.ts";
import type { Database } from "../database/client.ts";
import type { ProfileRow } from "../database/schema/profiles.ts";
import { findProfileById, findProfileByName } from "./store.ts";

/** One of the two is given. */
export interface ProfileSelection {
  id?: string;
  name?: string;
}

/**
 * The profile that is selected.
 *
 * @throws ServiceError 400 on `profile` where the organization has no such one.
 */
export async function selectProfile(
  database: Database,
  organizationId: string,
  { id, name }: ProfileSelection,
): Promise<ProfileRow> {
  const found =
    id === undefined
      ? await findProfileByName(database, organizationId, name ?? "")
      : await findProfileById(database, organizationId, id);
  if (found === undefined) throw badRequest({ field: "profile", message: "profile not found" });
  return found;
}
