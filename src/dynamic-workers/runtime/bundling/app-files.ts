import { ArchiveError } from "../../../archives/archive-error.ts";
import { readZip } from "../../../archives/zip-reader.ts";

/** Of all that a zip holds, unpacked; what the app does not import is never unpacked. */
const LARGEST_TOTAL_BYTES = 256 * 1024 * 1024;
const MOST_ENTRIES = 50_000;

/** What code is written in. All else of a zip, such as pictures and binaries, is not there for imports. */
const CODE = /\.([cm]?[jt]s|[jt]sx|json)$/;

/** Of one file, and of all that the app imports: a bundler does nothing else while it reads one. */
const LARGEST_FILE_BYTES = 8 * 1024 * 1024;
const LARGEST_CODE_BYTES = 48 * 1024 * 1024;

/** Longer ones are made to be a burden: modules are looked for in each directory on their way. */
const LONGEST_PATH = 1024;

/** The files that modules are found in, by their paths from the app's top on. */
export interface AppFiles {
  has(path: string): boolean;
  /** Undefined when there is no such file. */
  read(path: string): Promise<string | undefined>;
  /** What a JSON file holds, read once however often it is asked for; undefined when there is none, or it is no JSON. */
  readJson(path: string): Promise<unknown>;
}

/** The code in an app's zip, and what is added to it. */
export class ZippedFiles implements AppFiles {
  readonly #entries: Map<string, () => Promise<string>>;
  readonly #added = new Map<string, string>();
  readonly #json = new Map<string, Promise<unknown>>();
  #codeLength = 0;

  private constructor(entries: Map<string, () => Promise<string>>) {
    this.#entries = entries;
  }

  /** @throws ArchiveError */
  static async open(zip: Uint8Array): Promise<ZippedFiles> {
    const source = {
      size: zip.length,
      read: (offset: number, length: number) => zip.subarray(offset, offset + length),
    };
    const entries = await readZip(source, { totalSize: LARGEST_TOTAL_BYTES, entries: MOST_ENTRIES });
    const files = entries.flatMap((entry) =>
      entry.type === "file" && isCode(entry)
        ? [[entry.path, () => new Response(entry.content()).text()] as const]
        : [],
    );
    return new ZippedFiles(new Map(files));
  }

  has(path: string): boolean {
    return this.#added.has(path) || this.#entries.has(path);
  }

  async read(path: string): Promise<string | undefined> {
    const text = this.#added.get(path) ?? (await this.#entries.get(path)?.());
    this.#codeLength += text?.length ?? 0;
    if (this.#codeLength > LARGEST_CODE_BYTES) {
      throw new ArchiveError(`the app imports more than ${LARGEST_CODE_BYTES} bytes of code`, "too_large");
    }
    return text;
  }

  async readJson(path: string): Promise<unknown> {
    if (!this.has(path)) return undefined;
    const json = this.#json.get(path) ?? this.read(path).then(parse);
    this.#json.set(path, json);
    return json;
  }

  /** Before anything is looked for in the files. */
  add(path: string, text: string): void {
    this.#added.set(path, text);
  }

  /** Paths of what the zip holds. */
  paths(): Iterable<string> {
    return this.#entries.keys();
  }
}

function isCode({ path, size }: { path: string; size: number }): boolean {
  return CODE.test(path) && path.length <= LONGEST_PATH && size <= LARGEST_FILE_BYTES;
}

function parse(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
