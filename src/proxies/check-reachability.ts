import { badRequest } from "../common/errors.ts";
import { readSettings } from "../common/settings.ts";
import type { ProxyRow } from "../database/schema/proxies.ts";
import { hostOf } from "../network/network-access.ts";
import { NetworkFailedError, NetworkRefusedError } from "../network/network-error.ts";
import { resolvePublicHost } from "../network/public-host.ts";
import { resolveName } from "../network/resolve.ts";
import { checkProxy } from "./check-proxy.ts";

/** @throws ServiceError 400 on `url` if its host is private or cannot be resolved. */
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
