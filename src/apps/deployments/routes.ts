import { newRouter } from "../../http/router.ts";
import type { CallerEnv } from "../../organizations/caller.ts";

/** `/deployments` and `/apps`: uploaded apps of the caller's organization. */
export const deploymentRoutes = newRouter<CallerEnv>();
