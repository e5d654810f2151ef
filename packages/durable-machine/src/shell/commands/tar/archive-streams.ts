import { createTarDecoder, type TarHeader } from "modern-tar";
import { FileError } from "../../../file-system/file-error.ts";
import { GunzipError } from "../../../gunzip.ts";
import { toByteString } from "../../byte-strings.ts";
import { type ByteSource, PIECE_LENGTH, readFully } from "../byte-source.ts";
import type { Invocation } from "../invocation.ts";

const MAGIC_BYTES = { gzip: "\x1f\x8b", bzip2: "BZh", xz: "\xfd7zXZ", zstd: "\x28\xb5\x2f\xfd" };
const MAX_MAGIC_BYTES = 5;

const NOTHING = new Uint8Array(0);

export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
  readonly damage: "compression" | "end" | "header";

  constructor(cause: unknown) {
    super("the archive cannot be read", { cause });
    const isTruncated = cause instanceof Error && cause.message.includes("truncated");
    this.damage = cause instanceof GunzipError ? "compression" : isTruncated ? "end" : "header";
  }
}

export interface Member {
  /** A directory's name ends with a slash. */
  header: TarHeader;
  /** The next bytes of its content; none at the end. @throws ArchiveError */
  read(): Promise<Uint8Array>;
}

export async function examineArchive(source: ByteSource) {
  const head = await readFully(source, MAX_MAGIC_BYTES);
  const text = toByteString(head);
  const compression = Object.entries(MAGIC_BYTES).find(([, magic]) => text.startsWith(magic))?.[0];
  let next: Uint8Array | undefined = head;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    const piece = next ?? (await source.read(PIECE_LENGTH));
    next = undefined;
    if (piece.length === 0) controller.close();
    else controller.enqueue(new Uint8Array(piece));
  };
  return { compression, bytes: new ReadableStream({ pull }, { highWaterMark: 0 }) };
}

/** An archive's members. Each one's content is skipped unless read before the next. @throws ArchiveError */
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
      // If the process has been killed in the meantime, that is the reason.
      await invocation.step();
      throw error instanceof FileError ? error : new ArchiveError(error);
    } finally {
      isWaiting = false;
    }
  };
  // A truncated archive makes the decoder drop unread members, so the end is held back until they are read.
  const allRead = async () => {
    do await new Promise((resolve) => setTimeout(resolve, 0));
    while (!isWaiting && !isOver);
  };
  const entries = bytes
    .pipeThrough(new TransformStream({ flush: allRead }))
    .pipeThrough(createTarDecoder({ strict: true }))
    .getReader();
  try {
    for (;;) {
      const { value: entry } = await attempt(entries.read());
      if (entry === undefined) return;
      const { header } = entry;
      const body = entry.body.getReader();
      const name = header.type === "directory" ? header.name.replace(/(?<!\/)\/*$/, "/") : header.name;
      yield { header: { ...header, name }, read: async () => (await attempt(body.read())).value ?? NOTHING };
      await attempt(body.cancel());
    }
  } finally {
    isOver = true;
    entries.cancel().catch(() => {});
  }
}
