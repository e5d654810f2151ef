export { MCPSession } from "./object.ts";
export { PageBrowser } from "./page-browser.ts";
export { mcpRoutes } from "./routes.ts";
