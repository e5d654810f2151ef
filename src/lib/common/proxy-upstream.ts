import { canonicalHost } from "./canonical-host.ts";

export const UPSTREAM_OPTIONS = ["country", "state", "city", "zip", "asn", "session"] as const;

export type UpstreamOption = (typeof UPSTREAM_OPTIONS)[number];

export interface ProxyUpstream {
  protocol: "http" | "https";
  host: string;
  port: number;
  username: UserNameTemplate;
  password: string;
}

/** An optional segment is left out if one of its options has no value. */
export type UserNameTemplate = readonly Segment[];

interface Segment {
  parts: readonly (string | Placeholder)[];
  isOptional: boolean;
}

interface Placeholder {
  option: UpstreamOption;
  isUpperCase: boolean;
}

const FORM = "must have the form http://user:password@host:port";
const ADDRESS =
  /^(?<protocol>https?):\/\/(?:(?<username>[^:]*):(?<password>.*)@)?(?<host>\[[^\]]*\]|[^:@/]+):(?<port>\d{1,5})\/?$/is;

/**
 * Parses a setting. The text is a secret, so no problem quotes it.
 *
 * @example parseProxyUpstream("http://customer-acme[-cc-{country}]-sess-{session}:password@proxy.example:80")
 */
export function parseProxyUpstream(text: string): { upstream: ProxyUpstream } | { problem: string } {
  const groups = ADDRESS.exec(text.trim())?.groups;
  if (groups === undefined) return { problem: FORM };
  const port = Number(groups.port);
  const host = canonicalHost(groups.host ?? "");
  if (host === undefined || port < 1 || port > 65_535) return { problem: FORM };
  const username = decode(groups.username ?? "");
  const password = decode(groups.password ?? "");
  if (username === undefined || password === undefined) {
    return { problem: "must escape % as %25 in its user name and password" };
  }
  const template = parseUserName(username);
  if ("problem" in template) return template;
  const protocol = groups.protocol?.toLowerCase() === "https" ? "https" : "http";
  return { upstream: { protocol, host, port, username: template.segments, password } };
}

/** Inserts values in lower case, or in upper case for placeholders such as `{COUNTRY}`. */
export function renderUserName(
  template: UserNameTemplate,
  options: Partial<Record<UpstreamOption, string>>,
): string {
  return template
    .filter(
      ({ parts, isOptional }) =>
        !isOptional || parts.every((part) => typeof part === "string" || options[part.option]),
    )
    .flatMap(({ parts }) => parts)
    .map((part) => {
      if (typeof part === "string") return part;
      const value = options[part.option] ?? "";
      return part.isUpperCase ? value.toUpperCase() : value.toLowerCase();
    })
    .join("");
}

export function listOptions(template: UserNameTemplate): { option: UpstreamOption; isRequired: boolean }[] {
  return template.flatMap(({ parts, isOptional }) =>
    parts.flatMap((part) =>
      typeof part === "string" ? [] : [{ option: part.option, isRequired: !isOptional }],
    ),
  );
}

function parseUserName(text: string): { segments: Segment[] } | { problem: string } {
  const segments: Segment[] = [];
  for (const [piece, optional] of text.matchAll(/\[([^[\]]*)\]|[^[\]]+|[[\]]/g)) {
    if (piece === "[" || piece === "]") return { problem: "has an unmatched bracket" };
    const parts = parseParts(optional ?? piece);
    if ("problem" in parts) return parts;
    const isOptional = optional !== undefined;
    if (isOptional && parts.parts.every((part) => typeof part === "string")) {
      return { problem: "has brackets without an option inside" };
    }
    segments.push({ parts: parts.parts, isOptional });
  }
  return { segments };
}

function parseParts(text: string): Pick<Segment, "parts"> | { problem: string } {
  const parts: (string | Placeholder)[] = [];
  for (const [piece, name] of text.matchAll(/\{([^{}]*)\}|[^{}]+|[{}]/g)) {
    if (piece === "{" || piece === "}") return { problem: "has an unmatched brace" };
    if (name === undefined) {
      parts.push(piece);
      continue;
    }
    const option = UPSTREAM_OPTIONS.find((known) => known === name || known.toUpperCase() === name);
    if (option === undefined) return { problem: `allows in braces only ${UPSTREAM_OPTIONS.join(", ")}` };
    parts.push({ option, isUpperCase: name !== option });
  }
  return { parts };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
