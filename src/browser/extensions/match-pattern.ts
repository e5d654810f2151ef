/** Why a match pattern is none. */
export class MatchPatternError extends Error {
  override readonly name = "MatchPatternError";
}

const ALL_URLS = "<all_urls>";

/** What a pattern's schemes stand for, with the ports that addresses leave out; those of none match no page. */
const SCHEMES: Readonly<Record<string, readonly (readonly [scheme: string, defaultPort: string])[]>> = {
  "*": [
    ["http", "80"],
    ["https", "443"],
  ],
  http: [["http", "80"]],
  https: [["https", "443"]],
  file: [],
  ftp: [],
  chrome: [],
  "chrome-extension": [],
};

const PATTERN = /^(?<scheme>[^:/]+):\/\/(?<host>\[[^\]/]*\]|[^:/]*)(?::(?<port>[^/]*))?(?<path>\/.*)?$/s;
const MATCHES_NOTHING = "(?!)";
const HIGHEST_PORT = 65_535;

interface PatternParts {
  host: string;
  port: string;
  path: string;
}

/**
 * Chrome's match pattern as the source of a regular expression for addresses of pages, written as a document's
 * `location` has them: scheme, host, a port that is not the scheme's own, path and query.
 *
 * @throws MatchPatternError when Chrome would not take the extension for it.
 */
export function compileMatchPattern(pattern: string): string {
  const invalid = (reason: string) =>
    new MatchPatternError(`The match pattern "${pattern}" is invalid: ${reason}`);
  if (pattern === ALL_URLS) return "^https?://.*$";
  const groups = PATTERN.exec(pattern)?.groups;
  if (groups === undefined) throw invalid("it is not <scheme>://<host><path>");
  const { scheme = "", host = "", port = "*", path } = groups;
  const schemes = Object.hasOwn(SCHEMES, scheme) ? SCHEMES[scheme] : undefined;
  if (schemes === undefined) throw invalid(`"${scheme}" is not a scheme of pages`);
  if (path === undefined) throw invalid("it has no path; one begins with a slash");
  if (schemes.length === 0) return MATCHES_NOTHING;
  if (host === "") throw invalid("it has no host");
  if (port !== "*" && !(/^\d+$/.test(port) && Number(port) <= HIGHEST_PORT)) {
    throw invalid(`"${port}" is not a port`);
  }
  const hostSource = compileHost(host, invalid);
  return schemes
    .map(([name, defaultPort]) => {
      const parts = { host: hostSource, port: compilePort(port, defaultPort), path: compilePath(path) };
      return compileAddress(name, parts);
    })
    .join("|");
}

/** A glob of include_globs and exclude_globs as the source of a regular expression for whole addresses. */
export function compileGlob(glob: string): string {
  const source = glob.replaceAll(/\\([*?])|[\s\S]/g, (part, escaped: string | undefined) => {
    if (escaped !== undefined) return escapeText(escaped);
    if (part === "*") return "[^]*";
    // None or one, as Chrome takes it.
    return part === "?" ? "[^]?" : escapeText(part);
  });
  return `^${source}$`;
}

function compileAddress(scheme: string, { host, port, path }: PatternParts): string {
  return `^${scheme}://${host}${port}${path}$`;
}

function compileHost(host: string, invalid: (reason: string) => MatchPatternError): string {
  if (host === "*") return "[^/]+?";
  const isWithSubdomains = host.startsWith("*.");
  const name = isWithSubdomains ? host.slice(2) : host;
  if (name.includes("*")) throw invalid('a "*" in a host stands for all of it, or before its first dot');
  const hostname = /[@?#\\\s]/.test(name) ? undefined : URL.parse(`http://${name}/`)?.hostname;
  if (hostname === undefined) throw invalid(`"${name}" is not a host`);
  return `${isWithSubdomains ? "(?:[^/:]+\\.)?" : ""}${escapeText(hostname)}`;
}

function compilePort(port: string, defaultPort: string): string {
  if (port === "*") return "(?::\\d+)?";
  return Number(port) === Number(defaultPort) ? "" : `:${Number(port)}`;
}

function compilePath(path: string): string {
  const source = path.split("*").map(escapeText).join("[^]*");
  const folder = path.slice(0, -"/*".length);
  // Chrome lets "/docs/*" match "/docs" as well.
  return path.endsWith("/*") && folder !== "" && !folder.includes("*")
    ? `(?:${source}|${escapeText(folder)})`
    : source;
}

function escapeText(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
