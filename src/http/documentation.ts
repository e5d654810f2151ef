import { Hono } from "hono";
import { notFound } from "../common/errors.ts";

const VIEWER_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const NO_SNIFFING = { "x-content-type-options": "nosniff" };

const VIEWER_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Berth API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/viewer.css">
  </head>
  <body>
    <div id="viewer"></div>
    <noscript>This page needs JavaScript; the OpenAPI document is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/viewer.js"></script>
  </body>
</html>
`;

/** `/docs`: Swagger UI, served from the static assets in assets/docs. */
export const documentationRoutes = new Hono<{ Bindings: Env }>();

documentationRoutes.get("/docs", (c) =>
  c.html(VIEWER_PAGE, 200, {
    "content-security-policy": VIEWER_CSP,
    "referrer-policy": "no-referrer",
    ...NO_SNIFFING,
  }),
);

documentationRoutes.get("/docs/:file", async (c) => {
  const response = await c.env.ASSETS.fetch(new URL(new URL(c.req.url).pathname, "https://assets.invalid"));
  if (!response.ok) throw notFound("file");
  return new Response(response.body, {
    headers: { ...Object.fromEntries(response.headers), ...NO_SNIFFING },
  });
});
