import { badRequest } from "../../lib/common/errors.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { type DestinationRules, requireAllowedDestination } from "./destination.ts";
import { NetworkFailedError, NetworkRefusedError } from "./network-error.ts";
import { type ResolveName, resolveName } from "./resolve.ts";

/** The rules for addresses that organizations give for what is sent to them. */
export function deliveryRules(env: Env, resolve: ResolveName = resolveName): DestinationRules {
  const { allowPrivateAddresses } = readSettings(env);
  return { allowPrivateAddresses, allow: "all", settingName: "ALLOW_PRIVATE_ADDRESSES", resolve };
}

/**
 * A name that does not resolve is accepted, because each request checks it again.
 *
 * @throws ServiceError 400 on the field if the address is in a private network, or not https.
 */
export async function requireDeliveryAddress(env: Env, address: string, field: string): Promise<void> {
  const url = new URL(address);
  const rules = deliveryRules(env);
  if (url.protocol !== "https:" && !rules.allowPrivateAddresses) {
    throw badRequest({ field, message: "must be an https address" });
  }
  try {
    await requireAllowedDestination(url, rules);
  } catch (error) {
    if (error instanceof NetworkRefusedError) throw badRequest({ field, message: error.message });
    if (!(error instanceof NetworkFailedError)) throw error;
  }
}
