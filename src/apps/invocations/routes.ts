import { newRouter } from "../../http/router.ts";
import type { CallerEnv } from "../../organizations/caller.ts";

/** `/invocations`: runs of the organization's apps. */
export const invocationRoutes = newRouter<CallerEnv>();
