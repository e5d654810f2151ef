export { tellCloseReasons } from "./close-reasons.ts";
export { connectRoutes, isForBrowser } from "./routes.ts";
