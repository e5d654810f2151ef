/** Characters that end the host of a URL, or that the URL parser silently drops. */
const FORBIDDEN_HOST_CHARACTER = /[\s/?#@\\%<>^|]/;

/**
 * Normalizes a host name or address as a URL parser does, without brackets and trailing dot.
 *
 * @returns undefined if it is not a host.
 * @example
 * canonicalHost("WWW.Bücher.example.") // "www.xn--bcher-kva.example"
 * canonicalHost("0x7f.1") // "127.0.0.1"
 * canonicalHost("[::1]") // "::1"
 */
export function canonicalHost(text: string): string | undefined {
  if (text === "" || FORBIDDEN_HOST_CHARACTER.test(text)) return undefined;
  const isBracketed = text.startsWith("[");
  const hasColon = text.includes(":");
  if (isBracketed !== text.endsWith("]") || (isBracketed && !hasColon)) return undefined;
  const address = hasColon && !isBracketed ? `http://[${text}]/` : `http://${text}/`;
  if (!URL.canParse(address)) return undefined;
  const { hostname, port } = new URL(address);
  if (port !== "") return undefined;
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return host === "" ? undefined : host;
}

export function toUrlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
