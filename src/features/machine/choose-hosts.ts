import type { Region } from "../../lib/common/regions.ts";
import type { Settings } from "../../lib/common/settings.ts";

export type Host = Settings["hosts"][number];

/**
 * The order in which hosts are asked for a machine: those of the session's region, then the cheapest. Equal ones
 * share the machines.
 *
 * @param random from 0 to below 1.
 */
export function chooseHosts(hosts: readonly Host[], region: Region | null, random = Math.random): Host[] {
  return hosts
    .map((host) => ({ host, isNear: host.region === region, turn: random() }))
    .sort(
      (one, other) =>
        Number(other.isNear) - Number(one.isNear) ||
        one.host.price_per_hour - other.host.price_per_hour ||
        one.turn - other.turn,
    )
    .map(({ host }) => host);
}
