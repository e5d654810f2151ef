import { allows, hostOf, type NetworkAccess, portOf } from "./network-access.ts";
import { NetworkRefusedError } from "./network-error.ts";
import { resolvePublicHost } from "./public-host.ts";
import type { ResolveName } from "./resolve.ts";

export interface DestinationRules {
  /** Whether hosts of private networks, the service's own machine among them, may be reached. */
  allowPrivateAddresses: boolean;
  allow: NetworkAccess;
  /** The setting that `allow` comes from, for messages. */
  settingName: string;
  resolve: ResolveName;
}

/**
 * Looks whether a request may go to an address: of http or https, of a host that is allowed, and on the Internet. Names
 * are resolved first, and one private address among theirs is enough for a refusal.
 *
 * What this cannot do: the runtime resolves the name once more when it connects and takes no address instead, so
 * whoever answers for a name may answer differently then, and under `npm start` a hosts file or a local resolver may
 * know another address than the public DNS. On Cloudflare's network requests go out by Cloudflare's own resolver and
 * no private network of the operator is within their reach; where such a network is (the service runs by `npm start`
 * on a server), only an allow-list of trusted names, or a firewall, closes that gap.
 *
 * @throws NetworkRefusedError
 * @throws NetworkFailedError `unresolved`
 */
export async function requireDestination(url: URL, rules: DestinationRules): Promise<void> {
  const { allow, settingName, allowPrivateAddresses, resolve } = rules;
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new NetworkRefusedError("invalid_request", `${url.protocol} is neither http: nor https:`);
  }
  const host = hostOf(url);
  if (allow === "none") {
    throw new NetworkRefusedError("off", `network access is off (setting ${settingName})`);
  }
  if (!allows(allow, url)) {
    throw new NetworkRefusedError(
      "host_not_allowed",
      `host ${host} at port ${portOf(url)} is not among those allowed (setting ${settingName})`,
    );
  }
  if (allowPrivateAddresses) return;
  await resolvePublicHost(host, resolve);
}
