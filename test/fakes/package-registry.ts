export interface RegistryPackage {
  version: string;
  /** Dist-tags, such as `next`. */
  tags?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional: boolean }>;
  files: Record<string, string>;
  /** Replaces the tarball of the files. */
  tarball?: Uint8Array<ArrayBuffer>;
  /** Replaces the tarball's real hashes. */
  dist?: { integrity?: string; shasum?: string };
}

/** The versions of each package, the latest last. */
export type RegistryPackages = Record<string, RegistryPackage | RegistryPackage[]>;

/** Serves a path of an npm registry. @returns undefined for an unknown path. */
export async function respondAsRegistry(
  origin: string,
  packages: RegistryPackages,
  path: string,
): Promise<{ type: string; body: Uint8Array<ArrayBuffer> } | undefined> {
  const requested = decodeURIComponent(path.slice(1));
  for (const [name, found] of Object.entries(packages)) {
    const versions = [found].flat();
    if (requested === name) {
      const metadata = await describePackage(origin, name, versions);
      return { type: "application/json", body: toBytes(JSON.stringify(metadata)) };
    }
    const version = versions.find((candidate) => requested === tarballName(name, candidate, versions));
    if (version !== undefined) {
      return { type: "application/octet-stream", body: await tarballOf(name, version) };
    }
  }
  return undefined;
}

async function describePackage(origin: string, name: string, versions: RegistryPackage[]) {
  const tags = versions.flatMap(({ version, tags = [] }) => tags.map((tag) => [tag, version] as const));
  const described = await Promise.all(
    versions.map(async (found) => {
      const tarball = `${origin}/${tarballName(name, found, versions)}`;
      const hashes = found.dist ?? { integrity: await hashOf(await tarballOf(name, found)) };
      return [found.version, { ...manifestOf(name, found), dist: { tarball, ...hashes } }] as const;
    }),
  );
  return {
    name,
    "dist-tags": { latest: versions.at(-1)?.version, ...Object.fromEntries(tags) },
    versions: Object.fromEntries(described),
  };
}

function tarballOf(name: string, found: RegistryPackage): Promise<Uint8Array<ArrayBuffer>> {
  return found.tarball === undefined
    ? packTarball(withManifest(name, found))
    : Promise.resolve(found.tarball);
}

function tarballName(name: string, { version }: RegistryPackage, versions: RegistryPackage[]): string {
  return versions.length === 1 ? `${name}.tgz` : `${name}-${version}.tgz`;
}

async function hashOf(tarball: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-512", tarball));
  return `sha512-${btoa(String.fromCharCode(...digest))}`;
}

function manifestOf(
  name: string,
  { files: _, tags: __, dist: ___, tarball: ____, ...manifest }: RegistryPackage,
) {
  return { name, ...manifest };
}

function withManifest(name: string, found: RegistryPackage): Record<string, string> {
  const manifest = { ...JSON.parse(found.files["package.json"] ?? "{}"), ...manifestOf(name, found) };
  return { ...found.files, "package.json": JSON.stringify(manifest) };
}

async function packTarball(files: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> {
  const blocks = Object.entries(files).flatMap(([path, text]) => tarEntry(`package/${path}`, text));
  const tar = new Blob([...blocks, new Uint8Array(1024)]);
  const packed = tar.stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** A header block, and the content padded to whole blocks. */
function tarEntry(path: string, text: string): Uint8Array<ArrayBuffer>[] {
  const content = toBytes(text);
  const header = new Uint8Array(512);
  const write = (offset: number, field: string) => header.set(toBytes(field), offset);
  write(0, path);
  write(100, "0000644\0");
  write(124, `${content.length.toString(8).padStart(11, "0")}\0`);
  write(156, "0");
  write(257, "ustar\x0000");
  const padded = new Uint8Array(Math.ceil(content.length / 512) * 512);
  padded.set(content);
  return [header, padded];
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}
