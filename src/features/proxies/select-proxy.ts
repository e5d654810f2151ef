import { DecryptionError } from "../../lib/common/encryption.ts";
import { badRequest, ServiceError } from "../../lib/common/errors.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { ProxyRow } from "../../lib/database/schema/proxies.ts";
import type { BrowserProxy } from "../../platform/browser/index.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../platform/network/network-error.ts";
import { findConnectTarget } from "./proxy-connection.ts";
import { readEndpoint, toAuthority, upstreamSetting } from "./proxy-endpoint.ts";
import { findProxy } from "./store.ts";

/** @throws ServiceError 400 on `proxy_id` if the project has no such proxy, or its type has no upstream. */
export async function requireProxy(env: Env, scope: ProjectScope, proxyId: string): Promise<ProxyRow> {
  const row = await findProxy(openDatabase(env.DB), scope, proxyId);
  if (row === undefined) throw refused("proxy not found");
  if (row.type !== "custom" && readSettings(env).proxies.upstreams[row.type] === undefined) {
    throw missingUpstream(row.type);
  }
  return row;
}

/**
 * Reads the proxy settings of a browser, even for a deleted proxy, because running sessions keep it.
 *
 * @throws ServiceError 400 on `proxy_id` if the proxy does not exist, or its type has no upstream, or its
 * host is private; 500 if its password cannot be decrypted.
 * @example await readBrowserProxy(env, scope, proxyId) // { server: "https://proxy.example.com:3128", … }
 */
export async function readBrowserProxy(
  env: Env,
  scope: ProjectScope,
  proxyId: string,
): Promise<BrowserProxy> {
  const row = await findProxy(openDatabase(env.DB), scope, proxyId, { includeDeleted: true });
  if (row === undefined) throw refused("proxy not found");
  const endpoint = await readEndpoint(env, row).catch((cause: unknown) => {
    if (!(cause instanceof DecryptionError)) throw cause;
    const message = `The proxy's password cannot be read: ${cause.message}`;
    throw new ServiceError("internal_error", message, { shouldRetry: false, cause });
  });
  if (endpoint === undefined) {
    throw row.type === "custom" ? refused("proxy not found") : missingUpstream(row.type);
  }
  try {
    await findConnectTarget(endpoint, readSettings(env));
  } catch (error) {
    if (error instanceof NetworkRefusedError || error instanceof NetworkFailedError) {
      throw refused(`the proxy cannot be used: ${error.message}`);
    }
    throw error;
  }
  const { protocol, credentials } = endpoint;
  return {
    server: `${protocol}://${toAuthority(endpoint)}`,
    bypassHosts: row.bypassHosts,
    ...(credentials && { credentials }),
  };
}

function missingUpstream(type: Exclude<ProxyRow["type"], "custom">): ServiceError {
  return refused(
    `there is no upstream for proxies of type ${type}: the operator has not set ${upstreamSetting(type)}`,
  );
}

function refused(message: string): ServiceError {
  return badRequest({ field: "proxy_id", message });
}
