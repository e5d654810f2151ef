/** What a URL takes for no part of its host, and what it would leave out silently. */
const NOT_OF_A_HOST = /[\s/?#@\\%<>^|]/;

/**
 * A host name or address as URLs have it, without brackets and the dot that may end a full name: in lower case, other
 * scripts in Punycode, every spelling of an IPv4 address in four decimal numbers. Undefined for what is no host.
 *
 * @param text an IPv6 address may have brackets or not.
 */
export function canonicalHost(text: string): string | undefined {
  if (text === "" || NOT_OF_A_HOST.test(text)) return undefined;
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

/** A host without brackets as URLs have it. */
export function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
