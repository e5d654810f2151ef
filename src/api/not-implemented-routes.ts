import { ServiceError } from "../lib/common/errors.ts";
import { newRouter } from "../lib/http/router.ts";

/** Operations of the Kernel SDK that answer 501, to distinguish them from misspelt paths. */
export const NOT_IMPLEMENTED_ROUTES = [
  "POST /auth/connections",
  "GET /auth/connections",
  "GET /auth/connections/:id",
  "PATCH /auth/connections/:id",
  "DELETE /auth/connections/:id",
  "GET /auth/connections/:id/events",
  "POST /auth/connections/:id/login",
  "POST /auth/connections/:id/submit",
  "GET /auth/connections/:id/timeline",
  "POST /browsers/:id/curl",
  "POST /browsers/:id/extensions",
  "POST /credentials",
  "GET /credentials",
  "GET /credentials/:id_or_name",
  "PATCH /credentials/:id_or_name",
  "DELETE /credentials/:id_or_name",
  "GET /credentials/:id_or_name/totp-code",
  "GET /extensions/from_chrome_store",
  "POST /org/credential_providers",
  "GET /org/credential_providers",
  "GET /org/credential_providers/:id",
  "PATCH /org/credential_providers/:id",
  "DELETE /org/credential_providers/:id",
  "GET /org/credential_providers/:id/items",
  "POST /org/credential_providers/:id/test",
] as const;

export const notImplementedRoutes = newRouter();

for (const route of NOT_IMPLEMENTED_ROUTES) {
  const [method = "", path = ""] = route.split(" ");
  notImplementedRoutes.on(method, path, () => {
    throw new ServiceError("not_implemented", `${route} is not implemented by this service`, {
      shouldRetry: false,
    });
  });
}
