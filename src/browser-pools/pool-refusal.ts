import { badRequest, conflict, type ServiceError } from "../common/errors.ts";
import type { PoolRefusal } from "./store.ts";

/** What a caller is told whose pool was not written. */
export function refusePool(refusal: PoolRefusal, name: string): ServiceError {
  if (refusal === "name-taken") return conflict(`name: another pool is named "${name}"`);
  return badRequest({
    field: "size",
    message:
      "together with the organization's other pools it is over the limit of pooled sessions (max_pooled_sessions)",
  });
}
