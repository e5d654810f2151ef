import semver from "semver";
import type { Dependency } from "./package-manifest.ts";

/** Of a range that is made of others; each one more could double them. */
const MAX_ALTERNATIVES = 64;

/**
 * Ranges of peers that clashed with what was there. A peer is shared with those who ask for it as well, so that they all
 * get a version which suits the peer too, where one does.
 */
export class PeerRanges {
  readonly #ranges = new Map<string, string>();
  readonly #seen = new Set<string>();

  /** @returns whether anything is different from now on. */
  add({ packageName, range }: Dependency): boolean {
    const title = `${packageName}@${range}`;
    const narrowed = intersect(this.#ranges.get(packageName) ?? "*", range);
    if (narrowed === undefined || this.#seen.has(title)) return false;
    this.#seen.add(title);
    this.#ranges.set(packageName, narrowed);
    return true;
  }

  /** What is better asked for instead; undefined when it cannot suit the peers. */
  narrow(dependency: Dependency): Dependency | undefined {
    const peers = this.#ranges.get(dependency.packageName);
    const range = peers === undefined ? undefined : intersect(dependency.range, peers);
    return range === undefined ? undefined : { ...dependency, range };
  }
}

/** What is in both ranges; undefined when nothing is, when one is a tag, and when it takes too many alternatives to say. */
function intersect(one: string, other: string): string | undefined {
  const [left, right] = [semver.validRange(one), semver.validRange(other)];
  if (left === null || right === null || !semver.intersects(left, right)) return undefined;
  const sets = left.split("||").flatMap((first) => right.split("||").map((second) => `${first} ${second}`));
  const alternatives = sets.filter((set) => semver.intersects(set, set));
  return alternatives.length > MAX_ALTERNATIVES ? undefined : alternatives.join(" || ");
}
