import type { ArchiveEntry } from "../../../src/lib/archives/archive-entry.ts";
import type { ArchiveSource } from "../../../src/lib/archives/archive-source.ts";
import { readZip, type ZipLimits } from "../../../src/lib/archives/zip-reader.ts";

export const LIMITS: ZipLimits = { totalSize: 10 * 1024 * 1024, entries: 1000 };

export function sourceOf(bytes: Uint8Array): ArchiveSource {
  return { size: bytes.length, read: (offset, length) => bytes.slice(offset, offset + length) };
}

/** The content is in hexadecimal, which is faster to compare than bytes. */
async function unpackEntry(entry: ArchiveEntry) {
  const { path, type, mode, modifiedAt } = entry;
  const status = { path, type, mode, modifiedAt };
  if (entry.type === "symlink") return { ...status, target: entry.target };
  if (entry.type === "directory") return status;
  const content = new Uint8Array(await new Response(entry.content()).arrayBuffer());
  return { ...status, content: content.toHex() };
}

export async function unpack(bytes: Uint8Array, limits = LIMITS) {
  const unpacked: Awaited<ReturnType<typeof unpackEntry>>[] = [];
  for (const entry of await readZip(sourceOf(bytes), limits)) unpacked.push(await unpackEntry(entry));
  return unpacked;
}
