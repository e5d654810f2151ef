import ipaddr from "ipaddr.js";

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
].map((network) => ipaddr.IPv4.parseCIDR(network));

/** The only range of IPv6 that is allocated for the Internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Protocol assignments with Teredo, and documentation. */
const SPECIAL_IPV6 = ["2001::/23", "2001:db8::/32", "3fff::/20"].map((network) =>
  ipaddr.IPv6.parseCIDR(network),
);

/** Ranges of IPv6 whose addresses embed an IPv4 address from a byte on: mapped, NAT64, and 6to4. */
const EMBEDDED_IPV4 = [
  { network: ipaddr.IPv6.parseCIDR("::ffff:0:0/96"), start: 12 },
  { network: ipaddr.IPv6.parseCIDR("64:ff9b::/96"), start: 12 },
  { network: ipaddr.IPv6.parseCIDR("2002::/16"), start: 2 },
];

/** @param text IPv6 without brackets, or IPv4 of four decimal numbers without leading zeros. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && isPublic(address);
}

export function isAddress(text: string): boolean {
  return parseAddress(text) !== undefined;
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address instanceof ipaddr.IPv4) return !SPECIAL_IPV4.some((network) => address.match(network));

  const carrier = EMBEDDED_IPV4.find(({ network }) => address.match(network));
  if (carrier)
    return isPublic(new ipaddr.IPv4(address.toByteArray().slice(carrier.start, carrier.start + 4)));

  return address.match(GLOBAL_IPV6) && !SPECIAL_IPV6.some((network) => address.match(network));
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]/`)) return undefined;
  // The URL parser writes an embedded IPv4 address in hexadecimal: ipaddr.js takes ::8.8.8.8 for ::ffff:8.8.8.8.
  return ipaddr.IPv6.parse(new URL(`http://[${text}]/`).hostname.slice(1, -1));
}
