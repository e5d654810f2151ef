import { notFound } from "../../common/errors.ts";
import { openDatabase } from "../../database/client.ts";
import type { InvocationRow } from "../../database/schema/apps.ts";
import { findInvocation } from "./store.ts";

/** @throws ServiceError 404 when the organization has no such invocation. */
export async function requireInvocation(
  env: Env,
  organizationId: string,
  id: string,
): Promise<InvocationRow> {
  const row = await findInvocation(openDatabase(env.DB), organizationId, id);
  if (row === undefined) throw notFound("invocation");
  return row;
}
