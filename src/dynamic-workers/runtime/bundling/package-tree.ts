import semver from "semver";
import { ArchiveError } from "../../../archives/archive-error.ts";
import { eachConcurrently } from "../../../common/concurrency.ts";
import type { Dependency } from "./package-manifest.ts";
import { PeerRanges } from "./package-peers.ts";
import type { Package, PackageRegistry } from "./package-registry.ts";

/** More are a mistake, or never end: packages may ask for each other in ever other versions. */
const MAX_PACKAGES = 1000;

/** Each is held whole while it is unpacked. */
const CONCURRENT_DOWNLOADS = 8;

const BUNDLED = /^node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/;

/** A folder that packages are in: the app's, or that of a package which has some to itself. */
interface Place {
  path: string;
  /** For messages. */
  title: string;
  /** Absent: the app, or a package that came with it or with another one. */
  package?: Package;
  dependencies: readonly Dependency[];
  /** Whether the app can do without. */
  isOptional: boolean;
  /** The place whose `node_modules` it is in. */
  parent?: Place;
  /** What is in its own, by name. */
  packages: Map<string, Place>;
}

/** Where packages go, by their paths from the app's top. */
export interface PackageTree {
  packages: ReadonlyMap<string, Package>;
  problems: string[];
}

/**
 * Lays out what an app needs as npm does: a package is at the top where its name is free there, and else in the folder of
 * the package that asks for it, which is where Node looks first. The same comes of it in whatever order the registry
 * answers, since each decision waits for all answers that it may depend on.
 *
 * @param present names of packages that the app comes with; they will do whatever their version.
 * @throws ArchiveError when there are too many.
 */
export async function layOutPackages(
  dependencies: readonly Dependency[],
  present: Iterable<string>,
  registry: PackageRegistry,
): Promise<PackageTree> {
  const peers = new PeerRanges();
  const choose = async (wanted: Dependency) => {
    const narrowed = peers.narrow(wanted);
    const found = narrowed && (await registry.find(narrowed));
    return typeof found === "object" ? found : registry.find(wanted);
  };
  for (;;) {
    const { clashes, ...tree } = await growTree(newTop(dependencies, present), registry, choose);
    if (clashes.filter((peer) => peers.add(peer)).length === 0) return tree;
  }
}

/** Level by level: what the app asks for, what that asks for, and so on. */
async function growTree(
  top: Place,
  registry: PackageRegistry,
  choose: (wanted: Dependency) => Promise<Package | string>,
): Promise<PackageTree & { clashes: Dependency[] }> {
  const packages = new Map<string, Package>();
  const problems = new Map<string, string>();
  const clashes: Dependency[] = [];
  for (let level = [top]; level.length > 0 && problems.size === 0; ) {
    const needs = level.flatMap((dependent) =>
      dependent.dependencies.map((wanted) => ({ dependent, wanted })),
    );
    // Peers last: what is there for others by then will do for them.
    needs.sort((one, other) => Number(one.wanted.isPeer) - Number(other.wanted.isPeer));
    const missing = needs.filter((need) => !isMet(need));
    await chooseAll(missing, registry, choose);
    level = [];
    for (const need of missing) {
      if (isMet(need)) continue;
      const { dependent, wanted } = need;
      const found = await choose(wanted);
      if (typeof found === "string") {
        if (wanted.isOptional || dependent.isOptional) continue;
        const title = `${wanted.packageName}@${wanted.range}`;
        if (!problems.has(title)) problems.set(title, `${dependent.title} needs ${title}: ${found}`);
        continue;
      }
      if (findVisible(need)?.package === found) continue;
      const place = newPlace(need, found, mayBeAtTop(need, found, top) ? top : dependent);
      packages.set(place.path, found);
      if (packages.size > MAX_PACKAGES) throw tooMany();
      level.push(place);
    }
    clashes.push(...needs.filter(isClash).map(({ wanted }) => wanted));
  }
  return { packages, problems: [...problems.values()], clashes };
}

interface Need {
  dependent: Place;
  wanted: Dependency;
}

/** Packages of different names at once, and those of one name in their order. */
async function chooseAll(
  needs: readonly Need[],
  registry: PackageRegistry,
  choose: (wanted: Dependency) => Promise<unknown>,
): Promise<void> {
  const groups = Map.groupBy(needs, ({ wanted }) => wanted.packageName);
  if (new Set([...registry.names, ...groups.keys()]).size > MAX_PACKAGES) throw tooMany();
  const chooseGroup = async (group: readonly Need[]) => {
    for (const { wanted } of group) await choose(wanted);
  };
  await eachConcurrently(groups.values(), CONCURRENT_DOWNLOADS, chooseGroup, (error) => {
    throw error;
  });
}

/** Whether a peer is there in a version that does not suit. */
function isClash(need: Need): boolean {
  const visible = findVisible(need);
  return need.wanted.isPeer && visible !== undefined && !suits(visible, need.wanted);
}

/** Whether nothing has to be added. */
function isMet(need: Need): boolean {
  const visible = findVisible(need);
  if (visible === undefined) return need.wanted.isPeer && need.wanted.isOptional;
  // What is around a package settles what its peers are: in a copy of its own they would be none.
  return need.wanted.isPeer || suits(visible, need.wanted);
}

/** Whether a place has what is asked for; a tag of the registry's is not known to be a version. */
function suits({ package: found }: Place, { packageName, range }: Dependency): boolean {
  return found === undefined || (found.name === packageName && semver.satisfies(found.version, range));
}

/** What the dependent gets when it imports that name. */
function findVisible({ dependent, wanted }: Need): Place | undefined {
  for (let place: Place | undefined = dependent; place; place = place.parent) {
    const found = place.packages.get(wanted.name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Not where its name is taken, or where it would see other peers than the dependent, which asks for them itself. */
function mayBeAtTop({ dependent, wanted }: Need, found: Package, top: Place): boolean {
  if (dependent === top) return true;
  if (top.packages.has(wanted.name)) return false;
  return found.dependencies.every((peer) => {
    const seen = top.packages.get(peer.name);
    const isShared = peer.isPeer && dependent.dependencies.some(({ name }) => name === peer.name);
    return !isShared || seen === undefined || suits(seen, peer);
  });
}

function newTop(dependencies: readonly Dependency[], present: Iterable<string>): Place {
  const top: Place = {
    path: "",
    title: "package.json",
    dependencies,
    isOptional: false,
    packages: new Map(),
  };
  for (const name of present) top.packages.set(name, placeOfBundled(name, top));
  return top;
}

function newPlace({ dependent, wanted }: Need, found: Package, parent: Place): Place {
  const place: Place = {
    path: pathOf(wanted.name, parent),
    title: `${found.name}@${found.version}`,
    package: found,
    dependencies: found.dependencies,
    isOptional: dependent.isOptional || wanted.isOptional,
    parent,
    packages: new Map(),
  };
  parent.packages.set(wanted.name, place);
  for (const path of found.files.keys()) {
    const [, bundled] = BUNDLED.exec(path) ?? [];
    if (bundled !== undefined) place.packages.set(bundled, placeOfBundled(bundled, place));
  }
  return place;
}

/** What the service provides, or what came with the app or with a package, is as it is. */
function placeOfBundled(name: string, parent: Place): Place {
  return {
    path: pathOf(name, parent),
    title: name,
    dependencies: [],
    isOptional: true,
    parent,
    packages: new Map(),
  };
}

function pathOf(name: string, parent: Place): string {
  return `${parent.path === "" ? "" : `${parent.path}/`}node_modules/${name}`;
}

function tooMany(): ArchiveError {
  return new ArchiveError(`the app needs more than ${MAX_PACKAGES} packages`, "too_large");
}
