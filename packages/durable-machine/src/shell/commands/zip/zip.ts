import { Buffer } from "node:buffer";
import { pipeline } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";
import { type ByteSink, openSink, outputSink } from "../byte-sink.ts";
import { openPath, PIECE_LENGTH, pieces } from "../byte-source.ts";
import { baseName, join, statusOf } from "../destinations.ts";
import { errorText } from "../error-text.ts";
import { matchesGlob } from "../glob.ts";
import type { Invocation, MachineCommand } from "../invocation.ts";
import { UsageError } from "../options.ts";

const NOTHING_TO_DO = 12;
const MAX_ENTRIES = 0xffff;
const MAX_BYTES = 0xffffffff;
const TYPE_BITS = { directory: 0o040000, file: 0o100000, symlink: 0o120000 };

/** The checksum and the sizes follow the content, and the name is UTF-8. */
const FLAGS = 0x0808;

function numbers(...fields: [bytes: number, value: number][]): Uint8Array {
  return new Uint8Array(
    fields.flatMap(([size, value]) =>
      Array.from({ length: size }, (_, index) => (value >>> (8 * index)) & 0xff),
    ),
  );
}

function dosTime(milliseconds: number): number {
  const time = new Date(Math.max(Date.UTC(1980, 0), milliseconds));
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return ((date << 16) | clock) >>> 0;
}

class ZipCreation {
  readonly #invocation: Invocation;
  readonly #sink: ByteSink;
  readonly #report: (line: string) => Promise<void>;
  readonly #directory: Uint8Array[] = [];
  #offset = 0;

  constructor(invocation: Invocation, sink: ByteSink, report: (line: string) => Promise<void>) {
    this.#invocation = invocation;
    this.#sink = sink;
    this.#report = report;
  }

  async add(name: string, path: string): Promise<void> {
    const { files, credentials } = this.#invocation;
    const { type, mode, modifiedAt } = files.status(path, credentials);
    const content = type === "file" ? pieces(await openPath(this.#invocation, path)) : undefined;
    if (this.#directory.length >= MAX_ENTRIES)
      this.#invocation.fail("more than 65535 files: limit of this machine");
    const bytes = Buffer.from(name);
    const time = Math.max(0, Math.floor(modifiedAt / 1000));
    const method = content ? 8 : 0;
    const extra = numbers([2, 0x5455], [2, 5], [1, 1], [4, time]);
    const head = [
      [2, content ? FLAGS : FLAGS & ~8],
      [2, method],
      [4, dosTime(modifiedAt)],
    ] satisfies [number, number][];
    const start = this.#offset;
    const lengths = [
      [2, bytes.length],
      [2, extra.length],
    ] satisfies [number, number][];
    await this.#write(
      numbers([4, 0x04034b50], [2, 20], ...head, [4, 0], [4, 0], [4, 0], ...lengths),
      bytes,
      extra,
    );
    let size = 0;
    let checksum = 0;
    const read = async function* (given: AsyncIterable<Uint8Array>) {
      for await (const piece of given) {
        size += piece.length;
        checksum = crc32(piece, checksum);
        yield piece;
      }
    };
    const contentStart = this.#offset;
    if (content) {
      for await (const chunk of pipeline(
        read(content),
        createDeflateRaw({ chunkSize: PIECE_LENGTH }),
        () => {},
      ))
        await this.#write(chunk);
    }
    const packed = this.#offset - contentStart;
    if (content) await this.#write(numbers([4, 0x08074b50], [4, checksum], [4, packed], [4, size]));
    const sizes = [
      [4, checksum],
      [4, packed],
      [4, size],
    ] satisfies [number, number][];
    const attributes = ((TYPE_BITS[type] | mode) << 16) >>> 0;
    const end = [
      [2, 0],
      [2, 0],
      [2, 0],
      [4, attributes],
      [4, start],
    ] satisfies [number, number][];
    this.#directory.push(
      Buffer.concat([
        numbers([4, 0x02014b50], [2, 0x031e], [2, 20], ...head, ...sizes, ...lengths, ...end),
        bytes,
        extra,
      ]),
    );
    const saved = size === 0 ? 0 : Math.round((100 * (size - packed)) / size);
    await this.#report(`  adding: ${name} (${content && size > 0 ? "deflated" : "stored"} ${saved}%)\n`);
  }

  async finish(): Promise<void> {
    const start = this.#offset;
    for (const entry of this.#directory) await this.#write(entry);
    const count = this.#directory.length;
    const size = this.#offset - start;
    await this.#write(
      numbers([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, start], [2, 0]),
    );
    await this.#sink.flush();
  }

  async #write(...parts: Uint8Array[]): Promise<void> {
    for (const part of parts) {
      this.#offset += part.length;
      if (this.#offset > MAX_BYTES) this.#invocation.fail("larger than 4 GiB: limit of this machine");
      await this.#sink.write(part);
    }
  }
}

/** `-x` takes all words up to the next option. */
function excluding(args: readonly string[]): { args: string[]; excluded: string[] } {
  const start = args.findIndex((arg) => arg === "-x" || arg === "--exclude");
  if (start === -1) return { args: [...args], excluded: [] };
  const length = args.slice(start + 1).findIndex((arg) => arg.startsWith("-") || arg === "@");
  const end = length === -1 ? args.length : start + 1 + length;
  const rest = args.slice(end);
  return {
    args: [...args.slice(0, start), ...(rest[0] === "@" ? rest.slice(1) : rest)],
    excluded: args.slice(start + 1, end),
  };
}

export const zip: MachineCommand = {
  name: "zip",
  usage: "zip [-jqr] ARCHIVE FILE... [-x PATTERN...]",
  usageExitCode: 16,
  async run(invocation) {
    const { args, excluded } = excluding(invocation.args);
    const options = invocation.options("r,recurse-paths j,junk-paths q,quiet 0 1 2 3 4 5 6 7 8 9", { args });
    const [given, ...operands] = options.operands;
    if (given === undefined || operands.length === 0) {
      throw new UsageError("error: an archive and files are needed", { hint: false });
    }
    const archive = given === "-" || baseName(given).includes(".") ? given : `${given}.zip`;
    if (archive !== "-" && statusOf(invocation, archive)) {
      invocation.fail(
        `error: ${archive} exists, and changing archives is not supported: remove it first`,
        15,
      );
    }
    const found: { name: string; path: string }[] = [];
    const { files, credentials } = invocation;
    const visit = async (name: string, path: string): Promise<void> => {
      await invocation.step(4);
      const status = statusOf(invocation, path);
      if (status === undefined) {
        if (!options.has("q")) invocation.say(`\tzip warning: name not matched: ${name}\n`);
        return;
      }
      const isDirectory = status.type === "directory";
      const shown = name.replace(/^(?:\.?\/)+/, "") + (isDirectory && !name.endsWith("/") ? "/" : "");
      const isShown = !/^(?:\.?\/|\.)?$/.test(shown) && !(isDirectory && options.has("j"));
      if (isShown && !excluded.some((pattern) => matchesGlob(shown, pattern))) {
        found.push({ name: options.has("j") ? shown.slice(shown.lastIndexOf("/") + 1) : shown, path });
      }
      if (!isDirectory || !options.has("r")) return;
      // A link to a directory above would never end.
      if (statusOf(invocation, path, { followSymlink: false })?.type === "symlink") return;
      for (const entry of files.list(path, credentials))
        await visit(join(name, entry.name), join(path, entry.name));
    };
    for (const operand of operands) await visit(operand, invocation.path(operand));
    if (found.length === 0) {
      await invocation.print(`\nzip error: Nothing to do! (${archive})\n`);
      return NOTHING_TO_DO;
    }
    const report = async (line: string) => {
      if (options.has("q")) return;
      if (archive === "-") invocation.say(line);
      else await invocation.print(line);
    };
    const sink = archive === "-" ? outputSink(invocation) : openSink(invocation, archive);
    const creation = new ZipCreation(invocation, sink, report);
    for (const { name, path } of found) {
      try {
        await creation.add(name, path);
      } catch (error) {
        invocation.fail(`error: ${name}: ${errorText(error)}`, 18);
      }
    }
    await creation.finish();
    return 0;
  },
};
