import { isAddress, isPublicAddress } from "network-rules";
import { NetworkRefusedError } from "./network-error.ts";
import { isLocalName, type ResolveName } from "./resolve.ts";

/**
 * @param host as in a URL, without a trailing dot.
 * @throws NetworkRefusedError `private_address`, without the resolved address: it would disclose the
 * service's network.
 * @throws NetworkFailedError `unresolved`
 */
export async function resolvePublicHost(host: string, resolve: ResolveName): Promise<string[]> {
  const literal = host.replace(/^\[|\]$/g, "");
  if (isAddress(literal)) {
    if (isPublicAddress(literal)) return [literal];
    throw new NetworkRefusedError("private_address", `${literal} is a private address`);
  }
  if (isLocalName(host)) {
    throw new NetworkRefusedError("private_address", `${host} is a name in a private network`);
  }
  const addresses = await resolve(host);
  if (addresses.every(isPublicAddress)) return addresses;
  throw new NetworkRefusedError("private_address", `${host} has a private address`);
}
