/** A package of a registry: its files by their paths, and what it needs. */
export interface RegistryPackage {
  version: string;
  dependencies?: Record<string, string>;
  files: Record<string, string>;
}

/** What a registry of packages answers to a path; undefined: there is no such thing. */
export async function answerAsRegistry(
  origin: string,
  packages: Record<string, RegistryPackage>,
  path: string,
): Promise<{ type: string; body: Uint8Array<ArrayBuffer> } | undefined> {
  const name = decodeURIComponent(path.slice(1)).replace(/\.tgz$/, "");
  const found = packages[name];
  if (found === undefined) return undefined;
  if (path.endsWith(".tgz"))
    return { type: "application/octet-stream", body: await packTarball(found.files) };
  const { version, dependencies = {} } = found;
  const metadata = {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { name, version, dependencies, dist: { tarball: `${origin}/${name}.tgz` } } },
  };
  return { type: "application/json", body: toBytes(JSON.stringify(metadata)) };
}

async function packTarball(files: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> {
  const blocks = Object.entries(files).flatMap(([path, text]) => tarEntry(`package/${path}`, text));
  const tar = new Blob([...blocks, new Uint8Array(1024)]);
  const packed = tar.stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** A file in a tar archive: a block that describes it, and its content filled up to whole blocks. */
function tarEntry(path: string, text: string): Uint8Array<ArrayBuffer>[] {
  const content = toBytes(text);
  const header = new Uint8Array(512);
  const write = (offset: number, field: string) => header.set(toBytes(field), offset);
  write(0, path);
  write(100, "0000644\0");
  write(124, `${content.length.toString(8).padStart(11, "0")}\0`);
  write(156, "0");
  write(257, "ustar\x0000");
  const filled = new Uint8Array(Math.ceil(content.length / 512) * 512);
  filled.set(content);
  return [header, filled];
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}
