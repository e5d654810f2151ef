import { ArchiveError } from "../../../archives/archive-error.ts";
import { readZip } from "../../../archives/zip-reader.ts";
import { directoryOf, joinPaths } from "./paths.ts";

/** Of all that a zip holds, unpacked; what the app does not import is never unpacked. */
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
const MAX_ENTRIES = 50_000;

/** What code is written in. All else of a zip, such as pictures and binaries, is not there for imports. */
const CODE = /\.([cm]?[jt]s|[jt]sx|json)$/;

/** Of one file, and of all that the app imports: a bundler does nothing else while it reads one. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_CODE_BYTES = 48 * 1024 * 1024;

/** Longer ones are made to be a burden: modules are looked for in each directory on their way. */
const MAX_PATH_LENGTH = 1024;

/** Of symlinks on one path, of which some may lead in circles. */
const MAX_SYMLINKS = 16;

/** The files that modules are found in, by their paths from the app's top on. */
export interface AppFiles {
  has(path: string): boolean;
  /** Undefined when there is no such file. */
  read(path: string): Promise<string | undefined>;
  /** What a JSON file holds, read once however often it is asked for; undefined when there is none, or it is no JSON. */
  readJson(path: string): Promise<unknown>;
  /** Where a path leads, whether or not there is a file, when each symlink on it is followed. */
  realPath(path: string): string;
}

/** The code in an app's zip, and what is added to it. */
export class ZippedFiles implements AppFiles {
  readonly #entries: Map<string, () => Promise<string>>;
  /** Targets of symlinks. */
  readonly #symlinks: Map<string, string>;
  readonly #added = new Map<string, string>();
  readonly #json = new Map<string, Promise<unknown>>();
  #codeLength = 0;

  private constructor(entries: Map<string, () => Promise<string>>, symlinks: Map<string, string>) {
    this.#entries = entries;
    this.#symlinks = symlinks;
  }

  /** @throws ArchiveError */
  static async open(zip: Uint8Array): Promise<ZippedFiles> {
    const source = {
      size: zip.length,
      read: (offset: number, length: number) => zip.subarray(offset, offset + length),
    };
    const limits = { totalSize: MAX_TOTAL_BYTES, entries: MAX_ENTRIES };
    // Nothing is unpacked here, and what leads elsewhere, such as a `.venv` to its Python, is nothing to import.
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
    const json = this.#json.get(real) ?? this.read(real).then(parse);
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

  /** @returns undefined where there is no symlink on the path. */
  #followFirst(path: string): string | undefined {
    if (this.#symlinks.size === 0) return undefined;
    for (const { index } of path.matchAll(/\/|$/g)) {
      const symlink = path.slice(0, index);
      const target = this.#symlinks.get(symlink);
      if (target !== undefined) return joinPaths(directoryOf(symlink), target + path.slice(index));
    }
    return undefined;
  }

  /** Before anything is looked for in the files. */
  add(path: string, text: string): void {
    this.#added.set(this.realPath(path), text);
  }

  /** Paths of what the zip holds, without those through symlinks. */
  paths(): Iterable<string> {
    return this.#entries.keys();
  }
}

function isCode({ path, size }: { path: string; size: number }): boolean {
  return CODE.test(path) && path.length <= MAX_PATH_LENGTH && size <= MAX_FILE_BYTES;
}

function parse(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
