export { MCPSession } from "./object.ts";
export { PageBrowser } from "./page-browser.ts";
export { acceptTokenInQuery, mcpRoutes } from "./routes.ts";
