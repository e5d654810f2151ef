import type { Schemas } from "../../api/client.ts";

export type ProxyData = Schemas["Proxy"];
export type ProxyType = ProxyData["type"];

export const TYPES = [
  ["custom", "Custom"],
  ["datacenter", "Datacenter"],
  ["isp", "ISP"],
  ["residential", "Residential"],
  ["mobile", "Mobile"],
] as const;

export function typeName(type: ProxyType): string {
  return TYPES.find(([value]) => value === type)?.[1] ?? type;
}

/** Where its traffic goes, in short. */
export function destinationOf({ config, type }: ProxyData): string {
  if (type === "custom") return `${config.host}:${config.port}`;
  const { city, state, zip, asn, country } = config;
  return [city, state, zip, asn, country].filter((part) => part !== undefined).join(", ") || "Any country";
}
