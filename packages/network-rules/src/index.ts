export { allows, hostOf, type NetworkAccess, parseNetworkAccess, portOf } from "./network-access.ts";
export { isAddress, isPublicAddress } from "./private-addresses.ts";
