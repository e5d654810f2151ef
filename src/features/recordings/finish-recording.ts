import { concatenate } from "../../lib/common/concatenate.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { Chapter } from "../../lib/database/schema/replays.ts";
import type { Background } from "../../lib/objects/background.ts";
import { emitEvent } from "../webhooks/index.ts";
import { encodeHead } from "./mp4.ts";
import { partKey, recordingPrefix } from "./recording-files.ts";
import { decodeSamples, SAMPLE_BYTES } from "./samples.ts";
import { markRecordingFinished } from "./store.ts";

export interface UnfinishedRecording {
  id: string;
  organizationId: string;
  /** Its length in milliseconds; undefined: until its last picture. */
  durationMs?: number;
  chapters: Chapter[];
  note: string | null;
}

/**
 * Completes a recording from the pieces in R2, so it works after any crash, and may be repeated. Webhooks
 * hear of it once.
 *
 * @throws when R2 or the database does not answer.
 */
export async function finishRecording(
  background: Background,
  { id, organizationId, durationMs = 0, chapters, note }: UnfinishedRecording,
): Promise<void> {
  const { env } = background;
  const prefix = recordingPrefix(organizationId, id);
  const pieces = await listPieces(env.FILES, prefix);
  const samples = concatenate(await Promise.all(pieces.map((piece) => readSamples(env.FILES, piece))));
  const [last] = [...decodeSamples(samples.subarray(-SAMPLE_BYTES))];
  const length = Math.max(durationMs, (last?.time ?? 0) + 1);
  const finished = { durationMs: length, chapters, note };
  const database = openDatabase(env.DB);
  const [first] = pieces;
  if (first === undefined) {
    const texts = { note: [note ?? [], "no picture was stored"].flat().join("; "), mimeType: null };
    await markRecordingFinished(database, id, { ...finished, parts: [], ...texts });
    return;
  }
  const head = encodeHead(first.format, samples, length);
  await env.FILES.put(partKey(prefix, 0), head);
  const { codec } = first.format;
  const row = await markRecordingFinished(database, id, {
    ...finished,
    parts: [head.length, ...pieces.map(({ media }) => media)],
    mimeType: codec.startsWith("avc1") ? "video/mp4" : `video/mp4; codecs="${codec}"`,
  });
  if (row === undefined) return;
  emitEvent(background, organizationId, "replay.ready", { session_id: row.sessionId, replay_id: id });
}

interface Piece {
  key: string;
  size: number;
  /** Bytes of pictures, before their table. */
  media: number;
  format: { codec: string; description: string; width: number; height: number };
}

async function listPieces(files: R2Bucket, prefix: string): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let cursor: string | undefined;
  do {
    const listed: R2Objects = await files.list({
      prefix,
      startAfter: partKey(prefix, 0),
      cursor,
      include: ["customMetadata"],
    });
    for (const { key, size, customMetadata = {} } of listed.objects) {
      const { media, codec = "", description = "", width, height } = customMetadata;
      const format = { codec, description, width: Number(width), height: Number(height) };
      pieces.push({ key, size, media: Number(media), format });
    }
    cursor = listed.truncated ? listed.cursor : undefined;
  } while (cursor !== undefined);
  return pieces;
}

async function readSamples(files: R2Bucket, { key, size, media }: Piece): Promise<Uint8Array> {
  const table = await files.get(key, { range: { offset: media, length: size - media } });
  if (table === null) throw new Error("A piece of the recording is gone");
  return table.bytes();
}
