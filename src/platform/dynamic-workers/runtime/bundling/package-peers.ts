import semver from "semver";
import type { Dependency } from "./package-manifest.ts";

/** Each intersection may double the alternatives of a range. */
const MAX_ALTERNATIVES = 64;

/** Ranges of peers that conflicted. Narrowing all dependencies to them lets all share one version. */
export class PeerRanges {
  readonly #ranges = new Map<string, string>();
  readonly #seen = new Set<string>();

  add({ packageName, range }: Dependency): boolean {
    const title = `${packageName}@${range}`;
    const narrowed = intersect(this.#ranges.get(packageName) ?? "*", range);
    if (narrowed === undefined || this.#seen.has(title)) return false;
    this.#seen.add(title);
    this.#ranges.set(packageName, narrowed);
    return true;
  }

  narrow(dependency: Dependency): Dependency | undefined {
    const peers = this.#ranges.get(dependency.packageName);
    const range = peers === undefined ? undefined : intersect(dependency.range, peers);
    return range === undefined ? undefined : { ...dependency, range };
  }
}

/** @returns undefined for an empty intersection, for a tag, and for too many alternatives. */
function intersect(one: string, other: string): string | undefined {
  const [left, right] = [semver.validRange(one), semver.validRange(other)];
  if (left === null || right === null || !semver.intersects(left, right)) return undefined;
  const sets = left.split("||").flatMap((first) => right.split("||").map((second) => `${first} ${second}`));
  const alternatives = sets.filter((set) => semver.intersects(set, set));
  return alternatives.length > MAX_ALTERNATIVES ? undefined : alternatives.join(" || ");
}
