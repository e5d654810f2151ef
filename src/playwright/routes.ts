import { newRouter } from "../http/router.ts";
import type { CallerEnv } from "../organizations/caller.ts";

/** `/browsers/{id}/playwright`: code that runs beside a session's browser. */
export const playwrightRoutes = newRouter<CallerEnv>();
