import { allows, hostOf, type NetworkAccess, portOf } from "network-rules";
import { NetworkRefusedError } from "./network-error.ts";
import { resolvePublicHost } from "./public-host.ts";
import type { ResolveName } from "./resolve.ts";

export interface DestinationRules {
  allowPrivateAddresses: boolean;
  allow: NetworkAccess;
  settingName: string;
  resolve: ResolveName;
}

/**
 * This alone does not stop DNS rebinding, because the runtime resolves the name again to connect: send with
 * `outgoingFetch`. On Cloudflare no private network is reachable.
 *
 * @throws NetworkRefusedError
 * @throws NetworkFailedError `unresolved`
 */
export async function requireAllowedDestination(url: URL, rules: DestinationRules): Promise<void> {
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
