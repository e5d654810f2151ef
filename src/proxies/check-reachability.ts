import { badRequest } from "../common/errors.ts";
import { readSettings } from "../common/settings.ts";
import type { ProxyRow } from "../database/schema/proxies.ts";
import { hostOf } from "../network/network-access.ts";
import { NetworkFailedError, NetworkRefusedError } from "../network/network-error.ts";
import { resolvePublicHost } from "../network/public-host.ts";
import { resolveName } from "../network/resolve.ts";
import { checkProxy } from "./check-proxy.ts";

/**
 * Whether a proxy reaches an address.
 *
 * @throws ServiceError 400 on `url` unless its host is on the Internet.
 */
export async function checkReachability(env: Env, row: ProxyRow, url: string): Promise<ProxyRow["status"]> {
  if (!readSettings(env).allowPrivateAddresses) {
    try {
      await resolvePublicHost(hostOf(new URL(url)), resolveName);
    } catch (error) {
      if (error instanceof NetworkRefusedError || error instanceof NetworkFailedError) {
        throw badRequest({ field: "url", message: error.message });
      }
      throw error;
    }
  }
  return (await checkProxy(env, row, { url })).status;
}
