import { createTarDecoder, createTarPacker, type TarHeader, type TarPackController } from "modern-tar";
import { FileError } from "../../../file-system/file-error.ts";
import type { ByteSink } from "../byte-sink.ts";
import { type ByteSource, PIECE_LENGTH, readFully } from "../byte-source.ts";
import type { Invocation } from "../invocation.ts";

/** Small enough that what it is decompressed to fits into memory: up to a thousand times as much. */
const COMPRESSED_PIECE_BYTES = 32 * 1024;

/** How compressed archives begin. */
const MAGIC_NUMBERS: Record<string, readonly number[]> = {
  gzip: [0x1f, 0x8b],
  bzip2: [0x42, 0x5a, 0x68],
  xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a],
  zstd: [0x28, 0xb5, 0x2f, 0xfd],
};
const MAX_MAGIC_BYTES = 5;

const NOTHING = new Uint8Array(0);

/** An archive is damaged, or is none. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
  readonly part: "compression" | "end" | "header";

  constructor(cause: unknown) {
    super("the archive cannot be read", { cause });
    // The decoder throws no error of this class.
    const isCompression = cause instanceof TypeError;
    const isEnd = cause instanceof Error && cause.message.includes("truncated");
    this.part = isCompression ? "compression" : isEnd ? "end" : "header";
  }
}

/** A member of an archive. */
export interface Member {
  /** A directory's name has a slash at its end. */
  header: TarHeader;
  /** The next bytes of its content; none at the end. @throws ArchiveError */
  read(): Promise<Uint8Array>;
}

/** An archive's bytes, and the program that has compressed them, where it is known. */
export async function examineArchive(
  source: ByteSource,
): Promise<{ compression: string | undefined; bytes: ReadableStream<Uint8Array<ArrayBuffer>> }> {
  const head = await readFully(source, MAX_MAGIC_BYTES);
  const [compression] =
    Object.entries(MAGIC_NUMBERS).find(([, magic]) => magic.every((byte, index) => byte === head[index])) ??
    [];
  let next: Uint8Array | undefined = head;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    const piece = next ?? (await source.read(PIECE_LENGTH));
    next = undefined;
    if (piece.length === 0) controller.close();
    for (let start = 0; start < piece.length; start += COMPRESSED_PIECE_BYTES) {
      controller.enqueue(new Uint8Array(piece.subarray(start, start + COMPRESSED_PIECE_BYTES)));
    }
  };
  return { compression, bytes: new ReadableStream({ pull }, { highWaterMark: 0 }) };
}

/** The members of an archive. The content of each must be read before the next one, or is skipped. @throws ArchiveError */
export async function* readMembers(
  invocation: Invocation,
  bytes: ReadableStream<Uint8Array>,
): AsyncGenerator<Member> {
  let isWaiting = false;
  let isOver = false;
  const attempt = async <Result>(reading: Promise<Result>): Promise<Result> => {
    isWaiting = true;
    try {
      return await reading;
    } catch (error) {
      // Where the process has been ended meanwhile, that is the reason.
      await invocation.step();
      throw error instanceof FileError ? error : new ArchiveError(error);
    } finally {
      isWaiting = false;
    }
  };
  // Where an archive breaks off, the decoder drops the members that are not taken yet: it must hear of the end last.
  const allTaken = async () => {
    do await new Promise((resolve) => setTimeout(resolve, 0));
    while (!isWaiting && !isOver);
  };
  const entries = bytes
    .pipeThrough(new TransformStream({ flush: allTaken }))
    .pipeThrough(createTarDecoder({ strict: true }))
    .getReader();
  try {
    for (;;) {
      const { value: entry } = await attempt(entries.read());
      if (entry === undefined) return;
      const { header } = entry;
      const body = entry.body.getReader();
      const name = header.type === "directory" ? header.name.replace(/\/*$/, "/") : header.name;
      yield { header: { ...header, name }, read: async () => (await attempt(body.read())).value ?? NOTHING };
      await attempt(body.cancel());
    }
  } finally {
    isOver = true;
    entries.cancel().catch(() => {});
  }
}

/** Writes an archive into a sink. */
export class ArchiveWriter {
  readonly #controller: TarPackController;
  readonly #written: Promise<void>;
  #failure: unknown;

  constructor(sink: ByteSink, gzip: boolean) {
    const { readable, controller } = createTarPacker();
    this.#controller = controller;
    const write = async (bytes: Uint8Array) => {
      try {
        await sink.write(bytes);
      } catch (error) {
        this.#failure = error;
        throw error;
      }
    };
    const packed = gzip ? readable.pipeThrough(new CompressionStream("gzip")) : readable;
    this.#written = packed.pipeTo(new WritableStream({ write }));
    this.#written.catch(() => {});
  }

  /** @param content exactly as many bytes as the header says. @throws the sink's error. */
  async add(header: TarHeader, content: AsyncIterable<Uint8Array> | undefined): Promise<void> {
    const writer = this.#controller.add(header).getWriter();
    for await (const piece of content ?? []) await this.#unlessFailed(writer.write(piece));
    await this.#unlessFailed(writer.close());
  }

  /** Writes the end of the archive. @throws the sink's error. */
  async end(): Promise<void> {
    this.#controller.finalize();
    await this.#unlessFailed(this.#written);
  }

  /** Gives up what is not written yet. */
  abort(): void {
    this.#controller.error(new Error("given up"));
  }

  /** Waits for a write, or rejects when the sink has failed, because the write would never end then. */
  async #unlessFailed(work: Promise<void>): Promise<void> {
    try {
      await Promise.race([work, this.#written]);
    } catch (error) {
      throw this.#failure ?? error;
    }
  }
}
