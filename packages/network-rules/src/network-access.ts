export interface HostPattern {
  /** As in a URL: lower case, Punycode, IPv6 in brackets. */
  host: string;
  /** Matches the subdomains, but not `host` itself. */
  subdomains: boolean;
  /** Any port if absent. */
  port?: number;
}

export type NetworkAccess = "none" | "all" | readonly HostPattern[];

const PATTERN = /^(?<wildcard>\*\.)?(?<host>\[[\da-f:.]+\]|[^\s:/?#@*[\]\\%]+)(?::(?<port>\d{1,5}))?$/i;

/**
 * Parses a setting: `off`, `on`, or a list of hosts.
 *
 * @returns a problem is phrased to follow the name of the setting.
 * @example parseNetworkAccess("example.com, *.example.com, example.com:8080")
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
        problem: `must be "off", "on", or hosts such as "example.com, *.example.com, example.com:8080"; "${entry}" is not a host`,
      };
    }
    patterns.push(pattern);
  }
  return { access: patterns };
}

export function allows(access: NetworkAccess, url: URL): boolean {
  if (access === "none") return false;
  return access === "all" || access.some((pattern) => matches(pattern, url));
}

export function hostOf(url: URL): string {
  return url.hostname.replace(/\.$/, "");
}

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
