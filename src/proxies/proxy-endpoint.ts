import { decryptText } from "../common/encryption.ts";
import { readSettings } from "../common/settings.ts";
import type { ProxyRow } from "../database/schema/proxies.ts";
import { toUrlHost } from "../network/canonical-host.ts";
import { type ProxyUpstream, renderUserName } from "../network/proxy-upstream.ts";

/** Where a proxy's requests are sent to, with everything that is wanted there. */
export interface ProxyEndpoint {
  protocol: "http" | "https";
  /** Without brackets. */
  host: string;
  port: number;
  credentials?: { username: string; password: string };
  /** Whether the host is a caller's choice; an upstream is the operator's, who may have it anywhere. */
  isOfCaller: boolean;
}

/** Kinds of proxies that an upstream of the operator's carries. */
export type UpstreamType = Exclude<ProxyRow["type"], "custom">;

/** What encrypts a proxy's password belongs to. */
export function secretOwner(proxyId: string): string {
  return `proxy:${proxyId}`;
}

/** The setting that has the upstream of a type of proxies. */
export function upstreamSetting(type: UpstreamType): string {
  return `PROXY_UPSTREAM_${type.toUpperCase()}`;
}

/**
 * Where a proxy is; undefined when it has a type without an upstream.
 *
 * @throws DecryptionError
 */
export async function readEndpoint(env: Env, row: ProxyRow): Promise<ProxyEndpoint | undefined> {
  if (row.type === "custom") return readCustomEndpoint(env, row);
  const upstream = readSettings(env).proxies.upstreams[row.type];
  return upstream && toEndpoint(upstream, row);
}

/** The endpoint's host and port as a URL has them. */
export function toAuthority({ host, port }: { host: string; port: number }): string {
  return `${toUrlHost(host)}:${port}`;
}

async function readCustomEndpoint(env: Env, row: ProxyRow): Promise<ProxyEndpoint> {
  const { host, port, username } = row.config;
  if (host === undefined || port === undefined) throw new Error(`The proxy ${row.id} has no address`);
  const password =
    row.encryptedPassword === null
      ? undefined
      : await decryptText(env, secretOwner(row.id), row.encryptedPassword);
  const hasCredentials = username !== undefined || password !== undefined;
  return {
    protocol: row.protocol,
    host,
    port,
    ...(hasCredentials && { credentials: { username: username ?? "", password: password ?? "" } }),
    isOfCaller: true,
  };
}

function toEndpoint(upstream: ProxyUpstream, { id, config }: ProxyRow): ProxyEndpoint {
  const { protocol, host, port, password } = upstream;
  const { country, state, city, zip } = config;
  const asn = config.asn?.replace(/^AS/, "");
  const username = renderUserName(upstream.username, { country, state, city, zip, asn, session: id });
  const hasCredentials = username !== "" || password !== "";
  return {
    protocol,
    host,
    port,
    ...(hasCredentials && { credentials: { username, password } }),
    isOfCaller: false,
  };
}
