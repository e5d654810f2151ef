/** Headers with which the platform and proxies identify the caller. */
export const CALLER_HEADER = /^(cf-|x-forwarded-|(x-real-ip|true-client-ip|forwarded)$)/;

/** @returns a copy without headers that tell receivers, perhaps this service, another caller's address. */
export function withoutCallerHeaders(given: HeadersInit | undefined): Headers {
  const headers = new Headers(given);
  for (const name of [...headers.keys()]) if (CALLER_HEADER.test(name)) headers.delete(name);
  return headers;
}
