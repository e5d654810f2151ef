import { ArchiveError } from "../../../../lib/archives/archive-error.ts";
import { readZip } from "../../../../lib/archives/zip-reader.ts";
import { parseJSON } from "../../../../lib/common/parse-json.ts";
import { directoryOf, joinPaths } from "./paths.ts";

/** Declared, uncompressed. Only imported files are unpacked. */
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
const MAX_ENTRIES = 50_000;

const CODE = /\.([cm]?[jt]s|[jt]sx|json)$/;

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_CODE_BYTES = 48 * 1024 * 1024;

const MAX_PATH_LENGTH = 1024;

const MAX_SYMLINKS = 16;

export interface AppFiles {
  has(path: string): boolean;
  read(path: string): Promise<string | undefined>;
  /** Caches the result, which is undefined for a missing file or invalid JSON. */
  readJson(path: string): Promise<unknown>;
  /** Follows symlinks, even for a path without a file. */
  realPath(path: string): string;
}

export class ZippedFiles implements AppFiles {
  readonly #entries: Map<string, () => Promise<string>>;
  readonly #symlinks: Map<string, string>;
  readonly #added = new Map<string, string>();
  readonly #json = new Map<string, Promise<unknown>>();
  #codeLength = 0;

  private constructor(entries: Map<string, () => Promise<string>>, symlinks: Map<string, string>) {
    this.#entries = entries;
    this.#symlinks = symlinks;
  }

  static async open(zip: Uint8Array): Promise<ZippedFiles> {
    const source = {
      size: zip.length,
      read: (offset: number, length: number) => zip.subarray(offset, offset + length),
    };
    const limits = { totalSize: MAX_TOTAL_BYTES, entries: MAX_ENTRIES };
    // A symlink out of the zip, such as from a `.venv` to its Python, is harmless where nothing is unpacked.
    const entries = await readZip(source, limits, { skipsUnsafeSymlinks: true });
    const files = entries.flatMap((entry) =>
      entry.type === "file" && isCode(entry)
        ? [[entry.path, () => new Response(entry.content()).text()] as const]
        : [],
    );
    const symlinks = entries.flatMap((entry) =>
      entry.type === "symlink" && entry.path.length <= MAX_PATH_LENGTH
        ? [[entry.path, entry.target] as const]
        : [],
    );
    return new ZippedFiles(new Map(files), new Map(symlinks));
  }

  has(path: string): boolean {
    const real = this.realPath(path);
    return this.#added.has(real) || this.#entries.has(real);
  }

  async read(path: string): Promise<string | undefined> {
    const real = this.realPath(path);
    const text = this.#added.get(real) ?? (await this.#entries.get(real)?.());
    this.#codeLength += text?.length ?? 0;
    if (this.#codeLength > MAX_CODE_BYTES) {
      throw new ArchiveError(`the app imports more than ${MAX_CODE_BYTES} bytes of code`, "too_large");
    }
    return text;
  }

  async readJson(path: string): Promise<unknown> {
    if (!this.has(path)) return undefined;
    const real = this.realPath(path);
    const json = this.#json.get(real) ?? this.read(real).then(parseJSON);
    this.#json.set(real, json);
    return json;
  }

  realPath(path: string): string {
    let real = path;
    for (let followed = 0; followed < MAX_SYMLINKS && real.length <= MAX_PATH_LENGTH; followed++) {
      const next = this.#followFirst(real);
      if (next === undefined) return real;
      real = next;
    }
    return real;
  }

  #followFirst(path: string): string | undefined {
    if (this.#symlinks.size === 0) return undefined;
    for (const { index } of path.matchAll(/\/|$/g)) {
      const symlink = path.slice(0, index);
      const target = this.#symlinks.get(symlink);
      if (target !== undefined) return joinPaths(directoryOf(symlink), target + path.slice(index));
    }
    return undefined;
  }

  /** Call this before any lookup, because {@link readJson} caches. */
  add(path: string, text: string): void {
    this.#added.set(this.realPath(path), text);
  }

  paths(): Iterable<string> {
    return this.#entries.keys();
  }
}

function isCode({ path, size }: { path: string; size: number }): boolean {
  return CODE.test(path) && path.length <= MAX_PATH_LENGTH && size <= MAX_FILE_BYTES;
}
