import type { OpenAPIHono } from "@hono/zod-openapi";

const DOCUMENT = {
  openapi: "3.1.0",
  info: {
    title: "Berth",
    version: "1",
    license: { name: "MIT", identifier: "MIT" },
    description:
      "Cloud browser sessions. Create one, connect Playwright or Puppeteer to its `cdp_ws_url`, and drive it. " +
      "The Kernel SDK and CLI work with this API: set their base URL to this service.\n\n" +
      "`cdp_ws_url` is a WebSocket URL of the Chrome DevTools Protocol. With the scheme `http(s)` it serves " +
      "`/json/version` and `/json/list` below its path. It carries its own token. It answers 401 without the token, 410 once the " +
      "session has ended and 503 while its browser does not respond.\n\n" +
      "`wss://…/connect?token=<API key>` creates a session, connects, and ends the session with the connection. " +
      "Its query takes the fields of POST /browsers; see the page about connect URLs.\n\n" +
      "Fields and query parameters that an operation does not know are ignored, unless that would give more than the caller " +
      "asked for. The response's header `x-unknown-fields` names them, separated by commas.",
  },
  servers: [{ url: "/", description: "This service." }],
  tags: [
    { name: "Browser sessions", description: "Create, find, change and end remote browsers." },
    { name: "Browser pools", description: "Browsers that are launched in advance." },
    { name: "Proxies", description: "Proxies for sessions' traffic." },
    { name: "Extensions", description: "Content scripts and styles for sessions' pages." },
    { name: "Profiles", description: "Cookies and storage that are kept between sessions." },
    { name: "Computer", description: "A session's mouse, keyboard, clipboard and screen." },
    { name: "Live view", description: "A page to watch and control a session." },
    { name: "Recordings", description: "Videos of sessions." },
    { name: "Files", description: "The files of a session's machine." },
    { name: "Processes", description: "The processes of a session's machine." },
    { name: "Telemetry", description: "What happened in a session." },
    { name: "Playwright", description: "Code that runs beside a session's browser." },
    { name: "Apps", description: "Automation apps, their deployments and invocations." },
    { name: "Organization", description: "The caller's own API keys and limits." },
    { name: "Audit log", description: "The organization's calls, in a chain of hashes." },
    { name: "Webhooks", description: "Events that are sent to the organization's own servers." },
    { name: "Console", description: "Signing in to the web console at /console." },
    { name: "Operator", description: "For the operator of the service, with ADMIN_TOKEN." },
  ],
};

/** The document at `/openapi.json`, with the operations of a router. */
export function describeOperations(router: OpenAPIHono) {
  router.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description: "An API key of an organization, or the key of an invocation's run.",
  });
  router.openAPIRegistry.registerComponent("securitySchemes", "operatorToken", {
    type: "http",
    scheme: "bearer",
    description: "ADMIN_TOKEN of the deployment.",
  });
  return router.getOpenAPI31Document(DOCUMENT);
}
