import { toUrlHost } from "../../lib/common/canonical-host.ts";
import { decryptText } from "../../lib/common/encryption.ts";
import { type ProxyUpstream, renderUserName } from "../../lib/common/proxy-upstream.ts";
import { readSettings } from "../../lib/common/settings.ts";
import type { ProxyRow } from "../../lib/database/schema/proxies.ts";

export interface ProxyEndpoint {
  protocol: "http" | "https";
  /** Without brackets. */
  host: string;
  port: number;
  credentials?: { username: string; password: string };
  /** False for an upstream of the operator, which may be in a private network. */
  isUserDefined: boolean;
}

export type UpstreamType = Exclude<ProxyRow["type"], "custom">;

export function passwordOwner(proxyId: string): string {
  return `proxy:${proxyId}`;
}

export function upstreamSetting(type: UpstreamType): string {
  return `PROXY_UPSTREAM_${type.toUpperCase()}`;
}

/** @returns undefined if its type has no upstream. @throws DecryptionError */
export async function readEndpoint(env: Env, row: ProxyRow): Promise<ProxyEndpoint | undefined> {
  if (row.type === "custom") return readCustomEndpoint(env, row);
  const upstream = readSettings(env).proxies.upstreams[row.type];
  return upstream && toEndpoint(upstream, row);
}

export function toAuthority({ host, port }: { host: string; port: number }): string {
  return `${toUrlHost(host)}:${port}`;
}

async function readCustomEndpoint(env: Env, row: ProxyRow): Promise<ProxyEndpoint> {
  const { host, port, username } = row.config;
  if (host === undefined || port === undefined) throw new Error(`The proxy ${row.id} has no address`);
  const password =
    row.encryptedPassword === null
      ? undefined
      : await decryptText(env, passwordOwner(row.id), row.encryptedPassword);
  const hasCredentials = username !== undefined || password !== undefined;
  return {
    protocol: row.protocol,
    host,
    port,
    ...(hasCredentials && { credentials: { username: username ?? "", password: password ?? "" } }),
    isUserDefined: true,
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
    isUserDefined: false,
  };
}
