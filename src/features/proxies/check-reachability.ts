import { hostOf } from "network-rules";
import { badRequest } from "../../lib/common/errors.ts";
import { readSettings } from "../../lib/common/settings.ts";
import type { ProxyRow } from "../../lib/database/schema/proxies.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../platform/network/network-error.ts";
import { resolvePublicHost } from "../../platform/network/public-host.ts";
import { resolveName } from "../../platform/network/resolve.ts";
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
