/** Addresses that lead to the host itself, its network, or nowhere: RFC 6890 and the IANA registry that follows it. */
const SPECIAL_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Azure answers its machines' agents here, in the midst of public addresses.
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
].map(parseNetwork);

/** The only part of IPv6 that is given out for the Internet; all that is local lies outside of it. */
const GLOBAL_IPV6 = parseNetwork("2000::/3");

/** What is not the Internet within it: protocol assignments with Teredo, and addresses for documentation. */
const SPECIAL_IPV6 = ["2001::/23", "2001:db8::/32", "3fff::/20"].map(parseNetwork);

/** IPv6 addresses that carry an IPv4 address, to which their packets go in the end. */
const CARRIERS_OF_IPV4 = [
  // Mapped addresses, as sockets for both families use them.
  { ...parseNetwork("::ffff:0:0/96"), lowestBit: 0n },
  // Translated by a NAT64 gateway.
  { ...parseNetwork("64:ff9b::/96"), lowestBit: 0n },
  // 6to4.
  { ...parseNetwork("2002::/16"), lowestBit: 80n },
];

interface Network {
  address: Address;
  /** How many bits at the end of an address are not the network's. */
  hostBits: bigint;
}

interface Address {
  bits: 32 | 128;
  value: bigint;
}

/**
 * Whether an IPv4 or IPv6 address is one of the Internet's. Text that is no address is none of the Internet's.
 *
 * @param text without brackets. Of IPv4 only four decimal numbers without leading zeros; a URL's host has that form.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && isPublic(address);
}

/** Whether text is an IPv4 or IPv6 address, as `isPublicAddress` takes them. */
export function isAddress(text: string): boolean {
  return parseAddress(text) !== undefined;
}

function isPublic(address: Address): boolean {
  if (address.bits === 32) return !SPECIAL_IPV4.some((network) => contains(network, address));

  const carrier = CARRIERS_OF_IPV4.find((network) => contains(network, address));
  if (carrier) return isPublic({ bits: 32, value: (address.value >> carrier.lowestBit) & 0xffffffffn });

  return contains(GLOBAL_IPV6, address) && !SPECIAL_IPV6.some((network) => contains(network, address));
}

function contains(network: Network, address: Address): boolean {
  return network.address.value >> network.hostBits === address.value >> network.hostBits;
}

function parseNetwork(text: string): Network {
  const [start = "", prefix] = text.split("/");
  const address = parseAddress(start);
  if (!address) throw new SyntaxError(`not a network: ${text}`);
  return { address, hostBits: BigInt(address.bits - Number(prefix)) };
}

function parseAddress(text: string): Address | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Address | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
  const numbers = text.split(".").map(Number);
  // Some read a leading zero as octal, so that text would have two meanings.
  if (numbers.join(".") !== text || numbers.some((number) => number > 255)) return undefined;
  return { bits: 32, value: numbers.reduce((sum, number) => (sum << 8n) | BigInt(number), 0n) };
}

function parseIpv6(text: string): Address | undefined {
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]/`)) return undefined;
  // The URL parser leaves hexadecimal groups and at most one "::".
  const [head = "", tail] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split("::");
  const first = groups(head);
  const last = groups(tail ?? "");
  const zeros = Array<bigint>(8 - first.length - last.length).fill(0n);
  const value = [...first, ...zeros, ...last].reduce((sum, group) => (sum << 16n) | group, 0n);
  return { bits: 128, value };
}

function groups(text: string): bigint[] {
  return text === "" ? [] : text.split(":").map((group) => BigInt(`0x${group}`));
}
