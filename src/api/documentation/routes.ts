import { Hono } from "hono";
import { notFound } from "../../lib/common/errors.ts";
import { fetchAsset, withHeaders } from "../../lib/http/assets.ts";

const HEADERS = {
  // The pages themselves restrict scripts, because they know the hashes of their inline scripts.
  "content-security-policy": "frame-ancestors 'none'; object-src 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** Names of these files contain a hash of their content. */
const HASHED_FILES = /^\/docs\/assets\//;

/** `/docs`: the site that scripts/build-docs.ts builds. */
export const documentationRoutes = new Hono<{ Bindings: Env }>();

for (const path of ["/docs", "/docs/*"]) {
  documentationRoutes.get(path, async ({ env, req }) => {
    const { pathname } = new URL(req.url);
    const response = await fetchAsset(env, pathname, req.raw.headers);
    if (response.status !== 404) {
      const cacheControl = HASHED_FILES.test(pathname) && { "cache-control": "max-age=31536000, immutable" };
      return withHeaders(response, { ...HEADERS, ...cacheControl });
    }
    const page = await fetchAsset(env, "/docs/404");
    if (!page.ok) throw notFound("file");
    return withHeaders(new Response(page.body, { status: 404, headers: page.headers }), HEADERS);
  });
}
