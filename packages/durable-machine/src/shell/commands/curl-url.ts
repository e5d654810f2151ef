import { CurlFailure } from "./curl-failure.ts";

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/** What curl would make several URLs of: braces, and brackets but for those around an IPv6 address. */
const GLOB = /[{}]|\[(?![\da-f.]*:[\da-f:.%]*\])/i;

/** Schemes that `--proto` lets pass. */
export type AllowedSchemes = ReadonlySet<string>;

const SCHEMES = ["http", "https"];

/**
 * Reads a URL of the command line. Without a scheme it is one of http.
 *
 * @param options.globs whether braces and brackets stand for several URLs, which this curl does not make.
 * @throws CurlFailure 3 malformed, 1 no scheme that is spoken.
 */
export function readUrl(text: string, options: { globs: boolean; schemes: AllowedSchemes }): URL {
  if (options.globs && GLOB.test(text)) {
    throw new CurlFailure(
      3,
      "URL globbing is not available here; with -g braces and brackets mean themselves",
    );
  }
  const address = SCHEME.test(text) ? text : `http://${text}`;
  if (/[\s\p{Cc}]/u.test(address)) throw malformed();
  return checkedUrl(address, options.schemes);
}

/**
 * Reads where a redirect leads.
 *
 * @throws CurlFailure 3 malformed, 1 no scheme that is spoken.
 */
export function readLocation(location: string, from: URL, schemes: AllowedSchemes): URL {
  return checkedUrl(location, schemes, from);
}

function checkedUrl(address: string, schemes: AllowedSchemes, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) throw malformed();
  const url = new URL(address, base?.href);
  const scheme = url.protocol.slice(0, -1);
  if (!schemes.has(scheme)) {
    throw new CurlFailure(1, `Protocol "${scheme}" not supported or disabled in libcurl`);
  }
  // Servers never learn it.
  url.hash = "";
  return url;
}

function malformed(): CurlFailure {
  return new CurlFailure(3, "URL using bad/illegal format or missing URL");
}

/** The schemes that remain after `--proto` lists such as `=https` and `-http,+https`, one after the other. */
export function allowedSchemes(lists: readonly string[]): AllowedSchemes {
  let allowed = new Set(SCHEMES);
  for (const word of lists.flatMap((list) => list.toLowerCase().split(","))) {
    const [, modifier = "", name = ""] = /^([=+-]?)(.*)$/.exec(word) ?? [];
    const named = name === "all" ? SCHEMES : SCHEMES.filter((scheme) => scheme === name);
    if (modifier === "=") allowed = new Set();
    for (const scheme of named) {
      if (modifier === "-") allowed.delete(scheme);
      else allowed.add(scheme);
    }
  }
  return allowed;
}

/** The name that a file has at its server: the last part of the path; empty where it has none. */
export function remoteName(url: URL): string {
  return url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
}

/** The name that a server gives a file in its Content-Disposition, without directories; undefined: none. */
export function dispositionName(disposition: string | null): string | undefined {
  const [, quoted, bare] = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition ?? "") ?? [];
  const name = quoted?.replace(/\\(.)/g, "$1") ?? bare;
  const last = name?.split(/[/\\]/).at(-1);
  return last === "" || last === "." || last === ".." ? undefined : last;
}

/** A URL's credentials, as `user:password`; undefined: it has none. */
export function credentialsOf(url: URL): string | undefined {
  if (url.username === "" && url.password === "") return undefined;
  return `${unescapeBytes(url.username)}:${unescapeBytes(url.password)}`;
}

function unescapeBytes(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
