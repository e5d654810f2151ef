/** A host that may be reached; without a port, at all of its ports. */
export interface HostPattern {
  /** As a URL spells it: lower case, punycode, IPv6 in brackets. */
  host: string;
  /** Whether names below `host` are meant, and not itself. */
  subdomains: boolean;
  port?: number;
}

/** Where requests may go. */
export type NetworkAccess = "none" | "all" | readonly HostPattern[];

const PATTERN = /^(?<wildcard>\*\.)?(?<host>\[[\da-f:.]+\]|[^\s:/?#@*[\]\\%]+)(?::(?<port>\d{1,5}))?$/i;

/**
 * Reads a setting: `off`, `on`, or hosts with commas between them, such as `example.com`, `*.example.com` (names
 * below it) and `example.com:8080`.
 *
 * @returns what may be reached, or the problem, to be read after the setting's name.
 */
export function parseNetworkAccess(text: string): { access: NetworkAccess } | { problem: string } {
  const setting = text.trim();
  if (setting === "off") return { access: "none" };
  if (setting === "on") return { access: "all" };

  const patterns: HostPattern[] = [];
  for (const entry of setting.split(",").map((part) => part.trim())) {
    const pattern = parseHostPattern(entry);
    if (!pattern) {
      return {
        problem: `must be "off", "on", or hosts such as "example.com, *.example.com, example.com:8080"; "${entry}" is none`,
      };
    }
    patterns.push(pattern);
  }
  return { access: patterns };
}

/** Whether requests to a URL may be made. */
export function allows(access: NetworkAccess, url: URL): boolean {
  if (access === "none") return false;
  return access === "all" || access.some((pattern) => matches(pattern, url));
}

/** A URL's host without the dot that may end a full name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/\.$/, "");
}

/** The port that a request to an http or https URL goes to. */
export function portOf(url: URL): number {
  if (url.port) return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function matches(pattern: HostPattern, url: URL): boolean {
  if (pattern.port !== undefined && pattern.port !== portOf(url)) return false;
  const host = hostOf(url);
  return pattern.subdomains ? host.endsWith(`.${pattern.host}`) : host === pattern.host;
}

function parseHostPattern(text: string): HostPattern | undefined {
  const { wildcard, host, port } = PATTERN.exec(text)?.groups ?? {};
  if (!host || !URL.canParse(`http://${host}/`)) return undefined;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return undefined;
  return {
    host: hostOf(new URL(`http://${host}/`)),
    subdomains: wildcard !== undefined,
    ...(port !== undefined && { port: Number(port) }),
  };
}
