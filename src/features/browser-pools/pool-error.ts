import { badRequest, conflict, type ServiceError } from "../../lib/common/errors.ts";
import type { PoolRefusal } from "./store.ts";

export function toPoolError(refusal: PoolRefusal, name: string): ServiceError {
  if (refusal === "name-taken") return conflict(`name: another pool is named "${name}"`);
  return badRequest({
    field: "size",
    message: "the organization's pools would exceed the limit of pooled sessions (max_pooled_sessions)",
  });
}
