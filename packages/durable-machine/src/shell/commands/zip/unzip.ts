import { crc32 } from "node:zlib";
import type { TarHeader } from "modern-tar";
import { FileError } from "../../../file-system/file-error.ts";
import { GunzipError, inflateRaw } from "../../../gunzip.ts";
import { concatenate, toByteString } from "../../byte-strings.ts";
import { PIECE_LENGTH } from "../byte-source.ts";
import { baseName, join, statusOf } from "../destinations.ts";
import { formatTime } from "../format-time.ts";
import { matchesGlob } from "../glob.ts";
import type { Invocation, MachineCommand } from "../invocation.ts";
import { ParsedOptions, UsageError } from "../options.ts";
import { Extraction } from "../tar/extract-archive.ts";

const DAMAGED = 3;
const NOT_FOUND = 9;
const NO_MATCH = 11;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const MAX_DIRECTORY_BYTES = 8 * 1024 * 1024;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const STORED = 0;
const DEFLATED = 8;

interface Entry {
  name: string;
  type: "file" | "directory" | "symlink";
  mode: number;
  modifiedAt: number;
  method: number;
  checksum: number;
  packedSize: number;
  size: number;
  offset: number;
}

class Bytes {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get length(): number {
    return this.bytes.length;
  }

  uint8(at: number): number {
    return this.#view.getUint8(at);
  }

  uint16(at: number): number {
    return this.#view.getUint16(at, true);
  }

  uint32(at: number): number {
    return this.#view.getUint32(at, true);
  }

  slice(start: number, end: number): Bytes {
    return new Bytes(this.bytes.subarray(start, end));
  }
}

class ZipFile {
  readonly #invocation: Invocation;
  readonly #path: string;
  readonly size: number;

  constructor(invocation: Invocation, path: string) {
    this.#invocation = invocation;
    this.#path = path;
    this.size = invocation.files.status(path, invocation.credentials).size;
  }

  #damaged(reason: string): never {
    return this.#invocation.fail(`the zip is damaged: ${reason}`, DAMAGED);
  }

  #read(offset: number, length: number): Bytes {
    if (offset < 0 || offset + length > this.size) this.#damaged("it ends too early");
    const { files, credentials } = this.#invocation;
    return new Bytes(files.readRange(this.#path, credentials, offset, length));
  }

  /** No two entries share bytes, as the entries of a bomb would. */
  entries(): Entry[] {
    const length = Math.min(this.size, END_BYTES + MAX_COMMENT_BYTES);
    const tail = this.#read(this.size - length, length);
    const end = toByteString(tail.bytes).lastIndexOf("PK\x05\x06");
    if (end === -1 || end + END_BYTES > tail.length) {
      this.#invocation.fail("End-of-central-directory signature not found: it is no zip file", NOT_FOUND);
    }
    const size = tail.uint32(end + 12);
    const start = tail.uint32(end + 16);
    if (size === 0xffffffff || start === 0xffffffff) this.#damaged("zip64 is not supported");
    if (size > MAX_DIRECTORY_BYTES) this.#invocation.fail("too many files: limit of this machine", DAMAGED);
    const directory = this.#read(start, size);
    const entries: Entry[] = [];
    for (let at = 0; at < directory.length; ) {
      if (at + CENTRAL_BYTES > directory.length || directory.uint32(at) !== 0x02014b50) {
        this.#damaged("its directory cannot be read");
      }
      const nameEnd = at + CENTRAL_BYTES + directory.uint16(at + 28);
      const extraEnd = nameEnd + directory.uint16(at + 30);
      entries.push(this.#entry(directory, at, nameEnd, extraEnd));
      at = extraEnd + directory.uint16(at + 32);
    }
    let free = 0;
    for (const { offset, packedSize, name } of entries.toSorted((one, other) => one.offset - other.offset)) {
      if (offset < free) this.#damaged(`${name} overlaps another file (a zip bomb?)`);
      free = offset + LOCAL_BYTES + packedSize;
      if (free > start) this.#damaged(`${name} ends too late`);
    }
    return entries;
  }

  #entry(directory: Bytes, at: number, nameEnd: number, extraEnd: number): Entry {
    const name = new TextDecoder()
      .decode(directory.slice(at + CENTRAL_BYTES, nameEnd).bytes)
      .replaceAll("\0", "");
    if ((directory.uint16(at + 8) & 1) !== 0) this.#damaged(`${name} is encrypted, which is not supported`);
    const isUnix = directory.uint8(at + 5) === 3;
    const attributes = isUnix ? directory.uint16(at + 40) : 0;
    const isSymlink = (attributes & 0o170000) === 0o120000;
    const isDirectory = name.endsWith("/");
    const extra = directory.slice(nameEnd, extraEnd);
    const hasTime = extra.length >= 9 && extra.uint16(0) === 0x5455 && (extra.uint8(4) & 1) !== 0;
    const date = directory.uint16(at + 14);
    const clock = directory.uint16(at + 12);
    return {
      name,
      type: isDirectory ? "directory" : isSymlink ? "symlink" : "file",
      mode: attributes === 0 ? (isDirectory ? 0o755 : 0o644) : attributes & 0o777,
      modifiedAt: hasTime
        ? (extra.uint32(5) | 0) * 1000
        : Date.UTC(
            1980 + (date >> 9),
            ((date >> 5) & 15) - 1,
            date & 31,
            clock >> 11,
            (clock >> 5) & 63,
            (clock & 31) * 2,
          ),
      method: directory.uint16(at + 10),
      checksum: directory.uint32(at + 16),
      packedSize: directory.uint32(at + 20),
      size: directory.uint32(at + 24),
      offset: directory.uint32(at + 42),
    };
  }

  /** Unpacks as it is read, and no more than the directory says. */
  async *content(entry: Entry): AsyncGenerator<Uint8Array, void, undefined> {
    const head = this.#read(entry.offset, LOCAL_BYTES);
    const start = entry.offset + LOCAL_BYTES + head.uint16(26) + head.uint16(28);
    const read = (offset: number, length: number) => this.#read(offset, length);
    const packed = async function* () {
      for (let at = 0; at < entry.packedSize; at += PIECE_LENGTH) {
        yield read(start + at, Math.min(PIECE_LENGTH, entry.packedSize - at)).bytes;
      }
    };
    if (entry.method !== STORED && entry.method !== DEFLATED) {
      this.#damaged(`${entry.name} has an unsupported compression method ${entry.method}`);
    }
    const chunks = entry.method === STORED ? packed() : inflateRaw(packed(), entry.size);
    let size = 0;
    let checksum = 0;
    try {
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > entry.size) break;
        checksum = crc32(chunk, checksum);
        await this.#invocation.stepBytes(chunk.length);
        yield chunk;
      }
    } catch (error) {
      if (!(error instanceof GunzipError)) throw error;
      size = -1;
    }
    if (size !== entry.size || checksum !== entry.checksum)
      this.#damaged(`bad CRC or length of ${entry.name}`);
  }
}

/** Parts that would lead out of the destination are left out. */
function safePath(name: string): string {
  return name
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .join("/");
}

async function list(invocation: Invocation, entries: readonly Entry[]): Promise<void> {
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  await invocation.print("  Length      Date    Time    Name\n---------  ---------- -----   ----\n");
  for (const { size, modifiedAt, name } of entries) {
    await invocation.print(
      `${String(size).padStart(9)}  ${formatTime(modifiedAt, "%Y-%m-%d %H:%M")}   ${name}\n`,
    );
  }
  const count = `${entries.length} ${entries.length === 1 ? "file" : "files"}`;
  await invocation.print(
    `---------                     -------\n${String(total).padStart(9)}                     ${count}\n`,
  );
}

export const unzip: MachineCommand = {
  name: "unzip",
  usage: "unzip [-jlnopq] ARCHIVE [FILE...] [-d DIRECTORY]",
  usageExitCode: 10,
  async run(invocation) {
    const options = invocation.options("l o n q j p d=");
    const [given, ...patterns] = options.operands;
    if (given === undefined) throw new UsageError("an archive is needed", { hint: false });
    const archive = statusOf(invocation, given) ? given : `${given}.zip`;
    if (statusOf(invocation, archive)?.type !== "file") {
      invocation.say(`unzip:  cannot find or open ${given}, ${given}.zip or ${given}.ZIP.\n`);
      return NOT_FOUND;
    }
    const file = new ZipFile(invocation, invocation.path(archive));
    const isQuiet = options.has("q", "p");
    if (!isQuiet) await invocation.print(`Archive:  ${archive}\n`);
    const matched = new Set<string>();
    const chosen = file.entries().filter(({ name }) => {
      const naming = patterns.filter((pattern) => matchesGlob(name, pattern));
      for (const pattern of naming) matched.add(pattern);
      return patterns.length === 0 || naming.length > 0;
    });
    if (options.has("l")) await list(invocation, chosen);
    else await extract(invocation, options, file, chosen);
    const missing = patterns.filter((pattern) => !matched.has(pattern));
    for (const pattern of missing) invocation.say(`caution: filename not matched:  ${pattern}\n`);
    return missing.length > 0 ? NO_MATCH : undefined;
  },
};

async function extract(
  invocation: Invocation,
  options: ParsedOptions,
  file: ZipFile,
  entries: readonly Entry[],
): Promise<void> {
  const directory = options.value("d") ?? ".";
  const { files, credentials } = invocation;
  if (!statusOf(invocation, directory))
    files.makeDirectory(invocation.path(directory), credentials, { parents: true });
  const extraction = new Extraction(invocation, {
    archive: "",
    gzip: false,
    operands: [],
    directory,
    options: new ParsedOptions(
      [
        { key: "no-same-permissions", value: undefined },
        { key: "o", value: undefined },
      ],
      [],
    ),
    verbosity: 0,
    excluded: [],
    strippedParts: 0,
  });
  try {
    for (const entry of entries) {
      await invocation.step(4);
      const content = file.content(entry);
      if (options.has("p")) {
        for await (const chunk of content) await invocation.write(chunk);
        continue;
      }
      if (options.has("j") && entry.type === "directory") continue;
      const name = options.has("j") ? baseName(safePath(entry.name)) : safePath(entry.name);
      if (name === "") continue;
      const path = directory === "." ? name : join(directory, name);
      const existing = statusOf(invocation, join(directory, name), { followSymlink: false });
      if (existing && entry.type !== "directory" && !options.has("o")) {
        if (!options.has("n")) invocation.complain(`${path} exists and is not replaced without -o`);
        continue;
      }
      if (!isQuiet(options, entry, existing !== undefined)) {
        const verb =
          entry.type === "directory" ? "  creating" : entry.method === STORED ? "extracting" : " inflating";
        await invocation.print(
          ` ${verb}: ${path}${entry.type === "directory" ? "/" : entry.type === "file" ? "  " : ""}\n`,
        );
      }
      await extraction.extract(await memberOf(entry, name, content));
      // The checksum is compared at the end of the content, which a small file does not read.
      if (entry.type === "file")
        for (let rest = await content.next(); !rest.done; ) rest = await content.next();
    }
  } finally {
    extraction.finish();
  }
}

function isQuiet(options: ParsedOptions, { type }: Entry, exists: boolean): boolean {
  return options.has("q") || (type === "directory" && exists);
}

async function memberOf(
  { name: packedName, type, mode, modifiedAt, size }: Entry,
  name: string,
  content: AsyncGenerator<Uint8Array, void, undefined>,
): Promise<{ header: TarHeader; read: () => Promise<Uint8Array> }> {
  const header: TarHeader = { name, type, mode, size, mtime: new Date(modifiedAt) };
  if (type === "symlink") {
    if (size > 4096) throw new FileError("ENAMETOOLONG", "symlink", packedName);
    const parts: Uint8Array[] = [];
    for await (const chunk of content) parts.push(chunk);
    header.linkname = new TextDecoder().decode(concatenate(parts));
    header.size = 0;
  }
  const read = async () => (await content.next()).value ?? new Uint8Array(0);
  return { header, read };
}
