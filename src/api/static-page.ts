import { notFound } from "../lib/common/errors.ts";
import { readSettings } from "../lib/common/settings.ts";

const ASSETS_ORIGIN = "https://assets.invalid";

/** A page of the static files. @param sources further directives of its content security policy. */
export async function staticPage(env: Env, folder: string, sources: readonly string[]): Promise<Response> {
  const page = await env.ASSETS.fetch(new URL(`/${folder}/index.html`, ASSETS_ORIGIN));
  if (!page.ok) throw notFound("page");
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ...sources,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${readSettings(env).liveViewFrameAncestors}`,
  ];
  return new Response(page.body, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
    },
  });
}

/** A script or style sheet of a static page. */
export async function staticFile(env: Env, path: string): Promise<Response> {
  const file = await env.ASSETS.fetch(new URL(`/${path}`, ASSETS_ORIGIN));
  if (!file.ok) throw notFound("file");
  const headers = new Headers(file.headers);
  headers.set("x-content-type-options", "nosniff");
  return new Response(file.body, { headers });
}
