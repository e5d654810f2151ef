import { ArchiveError } from "../../lib/archives/archive-error.ts";
import { readZip } from "../../lib/archives/zip-reader.ts";
import { badRequest } from "../../lib/common/errors.ts";
import { type ExtensionManifest, manifestSchema } from "./manifest.ts";

export const MAX_ZIP_BYTES = 20 * 1024 * 1024;

const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
const MAX_CONTENT_SCRIPT_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 5000;
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** Each `web_accessible_resources` pattern is compared with each path. This many take about half a second. */
const MAX_COMPARED_CHARACTERS = 100_000_000;

const MANIFEST = "manifest.json";

export interface UnpackedExtension {
  manifest: ExtensionManifest;
  read(path: string): Promise<Uint8Array | undefined>;
  /** Sizes are uncompressed, in bytes. */
  files: { path: string; size: number }[];
}

/** @throws ServiceError 400 on `file` if the zip or manifest is invalid, or it is too large uncompressed. */
export async function openExtension(zip: Uint8Array): Promise<UnpackedExtension> {
  const files = await readFiles(zip);
  const [manifestPath] = [...files.keys()]
    .filter((path) => path === MANIFEST || /^[^/]+\/manifest\.json$/.test(path))
    .sort((first, second) => first.split("/").length - second.split("/").length);
  if (manifestPath === undefined) throw invalid("has no manifest.json at its top");
  const directory = manifestPath.slice(0, -MANIFEST.length);
  const read = async (path: string) => files.get(`${directory}${path}`)?.read();
  const text = await read(MANIFEST);
  if (text === undefined || text.length > MAX_MANIFEST_BYTES)
    throw invalid("has a manifest.json that is too large");
  const manifest = readManifest(text);
  const listed = [...files]
    .filter(([path]) => path.startsWith(directory))
    .map(([path, { size }]) => ({ path: path.slice(directory.length), size }));
  requireScripts(manifest, new Map(listed.map(({ path, size }) => [path, size])));
  requireFewComparisons(
    manifest.web_accessible_resources,
    listed.map(({ path }) => path),
  );
  return { manifest, read, files: listed };
}

interface ZippedFile {
  size: number;
  read: () => Promise<Uint8Array>;
}

async function readFiles(zip: Uint8Array): Promise<Map<string, ZippedFile>> {
  const source = {
    size: zip.length,
    read: (offset: number, length: number) => zip.subarray(offset, offset + length),
  };
  try {
    const entries = await readZip(source, { totalSize: MAX_UNPACKED_BYTES, entries: MAX_FILES });
    return new Map(
      entries.flatMap((entry) =>
        entry.type === "file" ? [[entry.path, { size: entry.size, read: () => readEntry(entry) }]] : [],
      ),
    );
  } catch (error) {
    if (error instanceof ArchiveError) throw invalid(error.message);
    throw error;
  }
}

function readManifest(bytes: Uint8Array): ExtensionManifest {
  let json: unknown;
  try {
    json = JSON.parse(
      withoutComments(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)),
    );
  } catch {
    throw invalid("has a manifest.json that is not valid JSON");
  }
  const parsed = manifestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(
    `has a manifest.json whose ${issue?.path.join(".") || "content"} is not valid: ${issue?.message}`,
  );
}

/** Chrome allows comment lines in a manifest. */
function withoutComments(text: string): string {
  return text.replaceAll(/^[ \t]*\/\/.*$/gm, "");
}

async function readEntry(entry: { content(): ReadableStream<Uint8Array> }): Promise<Uint8Array> {
  return new Uint8Array(await new Response(entry.content()).arrayBuffer());
}

/** A script counts once per listing, because pages load it that often. */
function requireScripts({ content_scripts }: ExtensionManifest, sizes: ReadonlyMap<string, number>): void {
  let bytes = 0;
  for (const path of content_scripts.flatMap(({ js, css }) => [...js, ...css])) {
    const size = sizes.get(normalizePath(path));
    if (size === undefined) throw invalid(`lacks ${path}, which its manifest.json names`);
    bytes += size;
  }
  if (bytes > MAX_CONTENT_SCRIPT_BYTES)
    throw invalid(`has content scripts of more than ${MAX_CONTENT_SCRIPT_BYTES} bytes`);
}

function requireFewComparisons(patterns: string[], paths: string[]): void {
  const characters = paths.length * totalLength(patterns) + patterns.length * totalLength(paths);
  if (characters > MAX_COMPARED_CHARACTERS)
    throw invalid("has too many files for the patterns of its web_accessible_resources");
}

function totalLength(texts: string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

export function normalizePath(path: string): string {
  return path.replace(/^(\.?\/)+/, "");
}

function invalid(message: string) {
  return badRequest({ field: "file", message });
}
