import { checkedUrl, type SentRequest, withCredentials } from "./sent-request.ts";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What a server of another origin must not learn. */
const SECRET_HEADERS = ["authorization", "cookie", "proxy-authorization"];

/** What describes a body, and goes with it. */
const BODY_HEADERS = ["content-encoding", "content-language", "content-location", "content-type"];

/**
 * The request that a redirect asks for, as the Fetch standard forms it; undefined: the response is the answer itself.
 *
 * @throws NetworkRefusedError `invalid_request` for a Location that is no URL.
 */
export function nextRequest(request: SentRequest, response: Response): SentRequest | undefined {
  const location = response.headers.get("location");
  if (!REDIRECTS.has(response.status) || location === null) return undefined;

  const address = checkedUrl(location, request.url);
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
