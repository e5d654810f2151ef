import { Hono } from "hono";
import { notFound } from "../../lib/common/errors.ts";
import { fetchAsset, withHeaders } from "../../lib/http/assets.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  // Browsers check whether the file has changed.
  "cache-control": "no-cache",
};

/** `/console`: the web console, whose scripts show a view for each address. */
export const consoleRoutes = new Hono<{ Bindings: Env }>();

consoleRoutes.get("/console/files/*", async ({ env, req }) => {
  const { pathname } = new URL(req.url);
  const file = await fetchAsset(env, pathname, req.raw.headers);
  if (file.status === 404) throw notFound("file");
  return withHeaders(file, HEADERS);
});

for (const path of ["/console", "/console/*"]) {
  consoleRoutes.get(path, async ({ env, req }, next) => {
    if (/^\/console\/session(\/|$)/.test(req.path)) return next();
    const page = await fetchAsset(env, "/console/files/");
    if (!page.ok) throw notFound("page");
    return withHeaders(page, HEADERS);
  });
}
