export type ParsedAddress = { url: string } | { refusal: string };

const MAX_URL_LENGTH = 10_000;

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
/** A host and port look like a scheme: "localhost:3000". */
const HOST_AND_PORT = /^[^/?#:]+:\d+(?:[/?#]|$)/;
/** Local hosts seldom have a certificate. */
const WITHOUT_CERTIFICATE = /^(?:(?:.+\.)?localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/i;

export function parseAddress(typed: string): ParsedAddress {
  const text = typed.trim();
  if (text === "") return { refusal: "Type an address, such as example.com." };
  if (text.toLowerCase() === "about:blank") return { url: "about:blank" };
  const scheme = HOST_AND_PORT.test(text) ? undefined : SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return parseWithoutScheme(text);
  if (scheme !== "http" && scheme !== "https") {
    return { refusal: `Addresses that begin with ${scheme}: cannot be opened here; use http or https.` };
  }
  return checked(text);
}

function parseWithoutScheme(text: string): ParsedAddress {
  const authority = /^[^/?#]*/.exec(text)?.[0] ?? "";
  const host = authority.replace(/:\d*$/, "");
  if (WITHOUT_CERTIFICATE.test(host)) return checked(`http://${text}`);
  if (/\s/.test(authority) || !/[^.]\.[^.]/.test(host)) {
    return {
      refusal: "That is not an address, and this bar does not search. Type an address such as example.com.",
    };
  }
  return checked(`https://${text}`);
}

function checked(text: string): ParsedAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === "") return { refusal: "That address is incomplete." };
  if (url.href.length > MAX_URL_LENGTH) return { refusal: "That address is too long." };
  return { url: url.href };
}
