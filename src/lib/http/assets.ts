/** A file of the static assets. Redirects are returned, not followed. */
export function fetchAsset(env: Env, pathname: string, headers = new Headers()): Promise<Response> {
  const url = new URL(pathname, "https://assets.invalid");
  return env.ASSETS.fetch(new Request(url, { headers, redirect: "manual" }));
}

export function withHeaders({ body, status, headers }: Response, added: Record<string, string>): Response {
  return new Response(body, { status, headers: { ...Object.fromEntries(headers), ...added } });
}
