export class MatchPatternError extends Error {
  override readonly name = "MatchPatternError";
}

const ALL_URLS = "<all_urls>";

/** Schemes and their default ports. Pages never have the schemes with an empty list. */
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
 * Compiles Chrome's match pattern into a regular expression source for a document's `location` without the
 * hash.
 *
 * @throws MatchPatternError when Chrome would refuse the extension.
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

export function compileGlob(glob: string): string {
  const source = glob.replaceAll(/\\([*?])|[\s\S]/g, (part, escaped: string | undefined) => {
    if (escaped !== undefined) return escapeText(escaped);
    if (part === "*") return "[^]*";
    // Chrome matches zero or one character.
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
  // Chrome also matches "/docs" with "/docs/*".
  return path.endsWith("/*") && folder !== "" && !folder.includes("*")
    ? `(?:${source}|${escapeText(folder)})`
    : source;
}

function escapeText(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
