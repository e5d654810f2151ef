import { z } from "zod";
import { gunzipText, gzip } from "../../lib/common/gzip.ts";
import type { NumberedEvent } from "./event.ts";
import type { EventBatch, EventSource } from "./event-pages.ts";
import type { EventStore } from "./event-store.ts";

const MIN_MEMBER_LENGTH = 256 * 1024;

/** Enough for the index of most archives, so that one request reads it. */
const TAIL_BYTES = 32 * 1024;

const batchSchema = z.object({
  first: z.number(),
  last: z.number(),
  earliest: z.number(),
  latest: z.number(),
  offset: z.number(),
  length: z.number(),
});

/** A gzip member within an archive. */
type ArchivedBatch = z.infer<typeof batchSchema>;

const indexSchema = z.object({ index: z.array(batchSchema) });

export interface SessionKey {
  organizationId: string;
  sessionId: string;
}

function archiveKey({ organizationId, sessionId }: SessionKey): string {
  return `telemetry/${organizationId}/${sessionId}.jsonl.gz`;
}

/** Writes events as gzip members of JSON lines, and a last one with their places. The file is gzip too. */
export async function writeArchive(files: R2Bucket, session: SessionKey, store: EventStore): Promise<void> {
  const members: Uint8Array<ArrayBuffer>[] = [];
  const index: ArchivedBatch[] = [];
  let offset = 0;
  const add = async (lines: string) => {
    const member = await gzip(lines);
    members.push(member);
    offset += member.length;
    return member.length;
  };
  for (const { lines, ...batch } of mergeBatches(store)) {
    const place = { ...batch, offset };
    index.push({ ...place, length: await add(lines) });
  }
  const indexOffset = offset;
  await add(`${JSON.stringify({ index })}\n`);
  await files.put(archiveKey(session), new Blob(members).stream(), {
    httpMetadata: { contentType: "application/gzip" },
    customMetadata: { indexOffset: String(indexOffset) },
  });
}

/** @returns undefined when there is none. */
export async function openArchive(
  files: R2Bucket,
  session: SessionKey,
): Promise<EventSource<ArchivedBatch> | undefined> {
  const key = archiveKey(session);
  const tail = await files.get(key, { range: { suffix: TAIL_BYTES } });
  if (tail === null) return undefined;
  const indexOffset = Number(tail.customMetadata?.indexOffset);
  const tailOffset = Math.max(0, tail.size - TAIL_BYTES);
  const bytes = new Uint8Array(await tail.arrayBuffer());
  const indexBytes =
    indexOffset >= tailOffset
      ? bytes.subarray(indexOffset - tailOffset)
      : await readRange(files, key, { offset: indexOffset });
  const { index } = indexSchema.parse(JSON.parse(await gunzipText(indexBytes)));
  return {
    list: () => index,
    read: async ({ offset, length }) => {
      const lines = await gunzipText(await readRange(files, key, { offset, length }));
      return lines
        .split("\n")
        .filter((line) => line !== "")
        .map((line): NumberedEvent => JSON.parse(line));
    },
  };
}

export async function deleteArchive(files: R2Bucket, session: SessionKey): Promise<void> {
  await files.delete(archiveKey(session));
}

function* mergeBatches(store: EventStore): Generator<EventBatch & { lines: string }> {
  let merged: (EventBatch & { lines: string }) | undefined;
  for (const batch of store.list()) {
    const lines = store.readLines(batch.first);
    merged =
      merged === undefined
        ? { ...batch, lines }
        : {
            first: merged.first,
            last: batch.last,
            earliest: Math.min(merged.earliest, batch.earliest),
            latest: Math.max(merged.latest, batch.latest),
            lines: merged.lines + lines,
          };
    if (merged.lines.length < MIN_MEMBER_LENGTH) continue;
    yield merged;
    merged = undefined;
  }
  if (merged !== undefined) yield merged;
}

async function readRange(files: R2Bucket, key: string, range: R2Range): Promise<Uint8Array<ArrayBuffer>> {
  const file = await files.get(key, { range });
  if (file === null) throw new Error("The archive of a session's events is gone");
  return new Uint8Array(await file.arrayBuffer());
}
