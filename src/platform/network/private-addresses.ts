/** RFC 6890 and the IANA registry of special-purpose addresses. */
const SPECIAL_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Azure's virtual public IP address for the agents of its virtual machines.
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

/** The only range of IPv6 that is allocated for the Internet. */
const GLOBAL_IPV6 = parseNetwork("2000::/3");

/** Protocol assignments with Teredo, and documentation. */
const SPECIAL_IPV6 = ["2001::/23", "2001:db8::/32", "3fff::/20"].map(parseNetwork);

/** Ranges of IPv6 whose addresses embed an IPv4 address: mapped, NAT64, and 6to4. */
const EMBEDDED_IPV4 = [
  { ...parseNetwork("::ffff:0:0/96"), lowestBit: 0n },
  { ...parseNetwork("64:ff9b::/96"), lowestBit: 0n },
  { ...parseNetwork("2002::/16"), lowestBit: 80n },
];

interface Network {
  address: Address;
  hostBits: bigint;
}

interface Address {
  bits: 32 | 128;
  value: bigint;
}

/**
 * @param text an IPv6 address without brackets, or an IPv4 address of four decimal numbers without leading
 * zeros.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && isPublic(address);
}

export function isAddress(text: string): boolean {
  return parseAddress(text) !== undefined;
}

function isPublic(address: Address): boolean {
  if (address.bits === 32) return !SPECIAL_IPV4.some((network) => contains(network, address));

  const carrier = EMBEDDED_IPV4.find((network) => contains(network, address));
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
  // Some parsers read numbers with a leading zero as octal.
  if (numbers.join(".") !== text || numbers.some((number) => number > 255)) return undefined;
  return { bits: 32, value: numbers.reduce((sum, number) => (sum << 8n) | BigInt(number), 0n) };
}

function parseIpv6(text: string): Address | undefined {
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]/`)) return undefined;
  // The URL parser normalizes to hexadecimal groups with at most one "::".
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
