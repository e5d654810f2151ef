export { executeScript } from "./execute-script.ts";
export { SessionEndpoint } from "./session-endpoint.ts";
