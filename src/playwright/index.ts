export { playwrightRoutes } from "./routes.ts";
export { SessionEndpoint } from "./session-endpoint.ts";
