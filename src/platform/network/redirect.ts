import { type OutgoingRequest, parseUrl, withCredentials } from "./outgoing-request.ts";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const SECRET_HEADERS = ["authorization", "cookie", "proxy-authorization"];

/** Removed with the body. */
const BODY_HEADERS = ["content-encoding", "content-language", "content-location", "content-type"];

/** Follows a redirect by the Fetch standard's rules. @throws NetworkRefusedError for an invalid Location. */
export function nextRequest(request: OutgoingRequest, response: Response): OutgoingRequest | undefined {
  const location = response.headers.get("location");
  if (!REDIRECTS.has(response.status) || location === null) return undefined;

  const address = parseUrl(location, request.url);
  if (!address.hash) address.hash = request.url.hash;

  const given = new Headers(request.headers);
  if (address.origin !== request.url.origin) {
    for (const name of SECRET_HEADERS) given.delete(name);
  }
  const { url, headers } = withCredentials(address, given);

  if (!becomesGet(request.method, response.status)) return { ...request, url, headers };
  for (const name of BODY_HEADERS) headers.delete(name);
  return { url, headers, method: "GET" };
}

function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}
