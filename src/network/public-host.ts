import { NetworkRefusedError } from "./network-error.ts";
import { isAddress, isPublicAddress } from "./private-addresses.ts";
import { isLocalName, type ResolveName } from "./resolve.ts";

/**
 * The addresses of a host that is on the Internet. One private address among them is enough for a refusal.
 *
 * @param host as a URL has it, without the dot that may end a full name.
 * @throws NetworkRefusedError `private_address`. No address is named that the asker does not know: it would tell about
 * the network that the service is in.
 * @throws NetworkFailedError `unresolved`
 */
export async function resolvePublicHost(host: string, resolve: ResolveName): Promise<string[]> {
  const literal = host.replace(/^\[|\]$/g, "");
  if (isAddress(literal)) {
    if (isPublicAddress(literal)) return [literal];
    throw new NetworkRefusedError("private_address", `${literal} is a private address`);
  }
  if (isLocalName(host)) {
    throw new NetworkRefusedError("private_address", `${host} is a name of a private network`);
  }
  const addresses = await resolve(host);
  if (addresses.every(isPublicAddress)) return addresses;
  throw new NetworkRefusedError("private_address", `${host} has a private address`);
}
