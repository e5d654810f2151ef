import semver from "semver";
import { ArchiveError } from "../../../../lib/archives/archive-error.ts";
import { forEachConcurrently } from "../../../../lib/common/concurrency.ts";
import type { Dependency } from "./package-manifest.ts";
import { PeerRanges } from "./package-peers.ts";
import type { Package, PackageRegistry } from "./package-registry.ts";

const MAX_PACKAGES = 1000;

/** Each package is held in memory while it is unpacked. */
const CONCURRENT_DOWNLOADS = 8;

const BUNDLED = /^node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/;

interface PackageNode {
  path: string;
  title: string;
  /** Absent for the app and for bundled packages. */
  package?: Package;
  dependencies: readonly Dependency[];
  isOptional: boolean;
  parent?: PackageNode;
  children: Map<string, PackageNode>;
}

export interface PackageTree {
  /** By path from the root of the app. */
  packages: ReadonlyMap<string, Package>;
  problems: string[];
}

/**
 * Lays out packages as npm does: at the root if the name is free there, and otherwise inside the package that
 * needs it. The result does not depend on the order in which the registry responds.
 *
 * The layout is our own because the installer of `@cloudflare/worker-bundler` 0.2.3 keeps one version per
 * package name, ignores peers and optional dependencies, and does not check integrity.
 */
export async function buildPackageTree(
  dependencies: readonly Dependency[],
  bundledNames: Iterable<string>,
  registry: PackageRegistry,
): Promise<PackageTree> {
  const peers = new PeerRanges();
  const find = async (dependency: Dependency) => {
    const narrowed = peers.narrow(dependency);
    const found = narrowed && (await registry.find(narrowed));
    return typeof found === "object" ? found : registry.find(dependency);
  };
  for (;;) {
    const { conflicts, ...tree } = await growTree(newRoot(dependencies, bundledNames), registry, find);
    if (conflicts.filter((peer) => peers.add(peer)).length === 0) return tree;
  }
}

async function growTree(
  root: PackageNode,
  registry: PackageRegistry,
  find: (dependency: Dependency) => Promise<Package | string>,
): Promise<PackageTree & { conflicts: Dependency[] }> {
  const packages = new Map<string, Package>();
  const problems = new Map<string, string>();
  const conflicts: Dependency[] = [];
  for (let level = [root]; level.length > 0 && problems.size === 0; ) {
    const edges = level.flatMap((from) => from.dependencies.map((dependency) => ({ from, dependency })));
    // Peers come last, because they accept what other edges have added.
    edges.sort((one, other) => Number(one.dependency.isPeer) - Number(other.dependency.isPeer));
    const missing = edges.filter((edge) => !isSatisfied(edge));
    await prefetch(missing, registry, find);
    level = [];
    for (const edge of missing) {
      if (isSatisfied(edge)) continue;
      const { from, dependency } = edge;
      const found = await find(dependency);
      if (typeof found === "string") {
        if (dependency.isOptional || from.isOptional) continue;
        const title = `${dependency.packageName}@${dependency.range}`;
        if (!problems.has(title)) problems.set(title, `${from.title} needs ${title}: ${found}`);
        continue;
      }
      if (resolveNode(edge)?.package === found) continue;
      const node = newNode(edge, found, canHoist(edge, found, root) ? root : from);
      packages.set(node.path, found);
      if (packages.size > MAX_PACKAGES) throw newTooManyError();
      level.push(node);
    }
    conflicts.push(...edges.filter(isPeerConflict).map(({ dependency }) => dependency));
  }
  return { packages, problems: [...problems.values()], conflicts };
}

interface Edge {
  from: PackageNode;
  dependency: Dependency;
}

/** Requests of one name stay in order, because each may reuse a version that an earlier one has fetched. */
async function prefetch(
  edges: readonly Edge[],
  registry: PackageRegistry,
  find: (dependency: Dependency) => Promise<unknown>,
): Promise<void> {
  const groups = Map.groupBy(edges, ({ dependency }) => dependency.packageName);
  if (new Set([...registry.names, ...groups.keys()]).size > MAX_PACKAGES) throw newTooManyError();
  const fetchGroup = async (group: readonly Edge[]) => {
    for (const { dependency } of group) await find(dependency);
  };
  const onFailure = (error: unknown) => {
    throw error;
  };
  await forEachConcurrently(groups.values(), fetchGroup, onFailure, CONCURRENT_DOWNLOADS);
}

function isPeerConflict(edge: Edge): boolean {
  const resolved = resolveNode(edge);
  return edge.dependency.isPeer && resolved !== undefined && !satisfies(resolved, edge.dependency);
}

function isSatisfied(edge: Edge): boolean {
  const resolved = resolveNode(edge);
  if (resolved === undefined) return edge.dependency.isPeer && edge.dependency.isOptional;
  // A peer with another version is a conflict, and not a reason to add a second copy.
  return edge.dependency.isPeer || satisfies(resolved, edge.dependency);
}

/** A tag never satisfies, because only the registry knows its version. */
function satisfies({ package: found }: PackageNode, { packageName, range }: Dependency): boolean {
  return found === undefined || (found.name === packageName && semver.satisfies(found.version, range));
}

function resolveNode({ from, dependency }: Edge): PackageNode | undefined {
  for (let node: PackageNode | undefined = from; node; node = node.parent) {
    const found = node.children.get(dependency.name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** False if the name is taken, or at the root it would see another version of a peer than its dependent. */
function canHoist({ from, dependency }: Edge, found: Package, root: PackageNode): boolean {
  if (from === root) return true;
  if (root.children.has(dependency.name)) return false;
  return found.dependencies.every((peer) => {
    const seen = root.children.get(peer.name);
    const isShared = peer.isPeer && from.dependencies.some(({ name }) => name === peer.name);
    return !isShared || seen === undefined || satisfies(seen, peer);
  });
}

function newRoot(dependencies: readonly Dependency[], bundledNames: Iterable<string>): PackageNode {
  const root: PackageNode = {
    path: "",
    title: "package.json",
    dependencies,
    isOptional: false,
    children: new Map(),
  };
  for (const name of bundledNames) root.children.set(name, newBundledNode(name, root));
  return root;
}

function newNode({ from, dependency }: Edge, found: Package, parent: PackageNode): PackageNode {
  const node: PackageNode = {
    path: pathOf(dependency.name, parent),
    title: `${found.name}@${found.version}`,
    package: found,
    dependencies: found.dependencies,
    isOptional: from.isOptional || dependency.isOptional,
    parent,
    children: new Map(),
  };
  parent.children.set(dependency.name, node);
  for (const path of found.files.keys()) {
    const [, bundled] = BUNDLED.exec(path) ?? [];
    if (bundled !== undefined) node.children.set(bundled, newBundledNode(bundled, node));
  }
  return node;
}

function newBundledNode(name: string, parent: PackageNode): PackageNode {
  return {
    path: pathOf(name, parent),
    title: name,
    dependencies: [],
    isOptional: true,
    parent,
    children: new Map(),
  };
}

function pathOf(name: string, parent: PackageNode): string {
  return `${parent.path === "" ? "" : `${parent.path}/`}node_modules/${name}`;
}

function newTooManyError(): ArchiveError {
  return new ArchiveError(`the app needs more than ${MAX_PACKAGES} packages`, "too_large");
}
