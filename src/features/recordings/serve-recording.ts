import { logError } from "../../lib/common/log.ts";
import type { ReplayRow } from "../../lib/database/schema/replays.ts";
import { partKey, recordingPrefix } from "./recording-files.ts";

interface ByteRange {
  start: number;
  /** Exclusive. */
  end: number;
}

/** Streams a finished recording or part of it. @param range the header `Range`, of which one is served. */
export function serveRecording(files: R2Bucket, row: ReplayRow, range: string | undefined): Response {
  const size = row.sizeBytes;
  const headers: Record<string, string> = {
    "accept-ranges": "bytes",
    "content-type": row.mimeType ?? "video/mp4",
    "content-disposition": `inline; filename="${row.id}.mp4"`,
    "cache-control": "private, no-store",
    "x-content-type-options": "nosniff",
  };
  const wanted = parseRange(range, size);
  if (wanted === "unsatisfiable") {
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${size}` } });
  }
  const { start, end } = wanted ?? { start: 0, end: size };
  const { readable, writable } = new FixedLengthStream(end - start);
  // A client that leaves closes the stream, which ends this.
  copyParts(files, row, { start, end }, writable).catch((error) => {
    logError("replay_not_sent", error);
    return writable.abort(error).catch(() => undefined);
  });
  if (wanted === undefined) return new Response(readable, { headers });
  return new Response(readable, {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${start}-${end - 1}/${size}` },
  });
}

/** @returns undefined for the whole file: without a header, or if it is not a single range of bytes. */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | "unsatisfiable" | undefined {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size : Math.min(size, Number(to) + 1);
  if (from !== "" && to !== "" && Number(to) < start) return undefined;
  return start < end ? { start, end } : "unsatisfiable";
}

/** The parts of the file that a range needs, each with the bytes of it. */
export function selectParts(
  sizes: readonly number[],
  { start, end }: ByteRange,
): { index: number; offset: number; length: number }[] {
  let position = 0;
  return sizes.flatMap((size, index) => {
    const from = Math.max(start - position, 0);
    const to = Math.min(end - position, size);
    position += size;
    return from < to ? [{ index, offset: from, length: to - from }] : [];
  });
}

async function copyParts(
  files: R2Bucket,
  { organizationId, id, parts }: ReplayRow,
  range: ByteRange,
  writable: WritableStream<Uint8Array>,
): Promise<void> {
  const prefix = recordingPrefix(organizationId, id);
  for (const { index, offset, length } of selectParts(parts, range)) {
    const part = await files.get(partKey(prefix, index), { range: { offset, length } });
    if (part === null) throw new Error("A part of the recording is gone");
    await part.body.pipeTo(writable, { preventClose: true });
  }
  await writable.close();
}
