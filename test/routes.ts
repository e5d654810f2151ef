import { connectRoutes } from "../src/api/connect/index.ts";
import { app } from "../src/app.ts";
import { COMPUTER_BODIES } from "./features/computer/bodies.ts";
import { MACHINE_REQUESTS } from "./features/machine/requests.ts";

/** Every route as "METHOD /path/:parameter", without middleware. */
const ROUTES = [
  ...new Set(
    app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`),
  ),
];

const PUBLIC_ROUTES = [
  "GET /health",
  "GET /",
  "GET /openapi.json",
  "GET /docs",
  "GET /docs/*",
  "GET /console",
  "GET /console/*",
  "GET /console/files/*",
];

/** They check keys and the cookie themselves. */
export const CONSOLE_SESSION_ROUTES = ROUTES.filter((route) => / \/console\/session(\/|$)/.test(route));

const SIGNED_URL_ROUTES = ROUTES.filter((route) =>
  / \/(cdp|live|live-view|replay|replay-view|webdriver)\//.test(route),
);

/** They have their own authentication and errors. */
const WEBDRIVER_ROUTES = ROUTES.filter((route) => / (\/wd\/hub)?\/(session|status)\b/.test(route));

export const OPERATOR_ROUTES = ROUTES.filter((route) => / \/(admin\/|metrics$)/.test(route));

/** Like Chrome's own addresses, they are not part of the OpenAPI document. */
export const CONNECT_ROUTES = connectRoutes.routes.map(({ method, path }) => `${method} ${path}`);

export const CALLER_ROUTES = ROUTES.filter(
  (route) =>
    ![
      ...PUBLIC_ROUTES,
      ...CONSOLE_SESSION_ROUTES,
      ...SIGNED_URL_ROUTES,
      ...OPERATOR_ROUTES,
      ...CONNECT_ROUTES,
      ...WEBDRIVER_ROUTES,
    ].includes(route),
);

const QUERIES: Record<string, string | undefined> = {
  ...Object.fromEntries(Object.entries(MACHINE_REQUESTS).map(([route, { query }]) => [route, query])),
  "GET /browsers/:id/logs/stream": "source=supervisor",
};

/** A route's method, and its path with every parameter replaced and any required query appended. */
export function fillRoute(route: string, parameter: string): [method: string, path: string] {
  const [method = "", path = ""] = route.split(" ");
  const query = QUERIES[route];
  return [method, path.replaceAll(/:[A-Za-z_]+/g, parameter) + (query === undefined ? "" : `?${query}`)];
}

/** Request bodies by route; other routes accept a body with a name. */
const BODIES: Record<string, object | undefined> = Object.fromEntries([
  ...Object.entries(COMPUTER_BODIES).map(([name, body]) => [`POST /browsers/:id/computer/${name}`, body]),
  ...Object.entries(MACHINE_REQUESTS).map(([route, { body }]) => [route, body]),
  ["PATCH /browser_pools/:id_or_name", { size: 1 }],
  ["POST /browser_pools/:id_or_name/release", { session_id: "any" }],
  ["POST /browsers/:id/handoffs", { instructions: "any" }],
  ["POST /browsers/:id/playwright/execute", { code: "return 1" }],
  ["PATCH /invocations/:id", { status: "failed" }],
  // They refuse fields that they do not know.
  ["POST /org/api_keys/:id/rotate", {}],
  ["PATCH /org/projects/:id/limits", {}],
  ["PATCH /org/webhooks/:id", {}],
]);

export function bodyOfRoute(route: string): { body?: object } {
  const hasBody = /^(POST|PATCH|PUT) /.test(route);
  return hasBody ? { body: route in BODIES ? BODIES[route] : { name: "x" } } : {};
}
