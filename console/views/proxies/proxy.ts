import type { Schemas } from "../../api/client.ts";

export type ProxyData = Schemas["Proxy"];
export type ProxyType = ProxyData["type"];
export type ProxyCheck = Schemas["ProxyCheck"];

export const TYPES = [
  ["custom", "Custom"],
  ["datacenter", "Datacenter"],
  ["isp", "ISP"],
  ["residential", "Residential"],
  ["mobile", "Mobile"],
] as const;

/** The fields of the configuration of each type. */
export const CONFIG_FIELDS = {
  custom: ["host", "port", "username", "password"],
  datacenter: ["country"],
  isp: ["country"],
  residential: ["country", "state", "city", "zip", "asn"],
  mobile: ["country", "state", "city"],
} as const satisfies Record<ProxyType, readonly string[]>;

export type ConfigField = (typeof CONFIG_FIELDS)["custom" | "residential"][number];

export interface ProxyForm {
  type: ProxyType;
  name: string;
  protocol: ProxyData["protocol"];
  config: Partial<Record<ConfigField, string>>;
  /** One in each line. */
  bypassHosts: string;
}

/** The body that creates a proxy. Empty fields are left out. */
export function toCreateProxy({
  type,
  name,
  protocol,
  config,
  bypassHosts,
}: ProxyForm): Schemas["CreateProxy"] {
  const bypass_hosts = bypassHosts.split("\n").flatMap((line) => line.trim() || []);
  const shared = { name: name || undefined, bypass_hosts };
  if (type !== "custom") {
    const location = CONFIG_FIELDS[type].map((field) => [field, config[field]?.trim() || undefined]);
    return { ...shared, type, config: Object.fromEntries(location) };
  }
  const { host = "", port, username, password } = config;
  const server = {
    host,
    port: Number(port),
    username: username || undefined,
    password: password || undefined,
  };
  return { ...shared, type, protocol, config: server };
}

export function typeName(type: ProxyType): string {
  return TYPES.find(([value]) => value === type)?.[1] ?? type;
}

/** Where its traffic goes, in short. */
export function destinationOf({ config, type }: ProxyData): string {
  if (type === "custom") return `${config.host}:${config.port}`;
  const { city, state, zip, asn, country } = config;
  return [city, state, zip, asn, country].filter((part) => part !== undefined).join(", ") || "Any country";
}
