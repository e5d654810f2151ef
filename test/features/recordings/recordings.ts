import { env } from "cloudflare:workers";
import { partKey, recordingPrefix } from "../../../src/features/recordings/recording-files.ts";
import { encodeSamples } from "../../../src/features/recordings/samples.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { type ReplayRow, replays } from "../../../src/lib/database/schema/replays.ts";

/** Inserts a recording whose file consists of some parts. */
export async function insertReplayRow(
  details: Pick<ReplayRow, "organizationId" | "sessionId"> & Partial<ReplayRow>,
  parts: readonly string[] = [],
): Promise<ReplayRow> {
  const row: ReplayRow = {
    id: newIdentifier(),
    startedAt: Date.now() - 10_000,
    finishedAt: Date.now(),
    sizeBytes: parts.join("").length,
    mimeType: "video/mp4",
    parts: parts.map(({ length }) => length),
    chapters: [],
    note: null,
    projectId: "",
    ...details,
  };
  await openDatabase(env.DB).insert(replays).values(row);
  const prefix = recordingPrefix(row.organizationId, row.id);
  for (const [index, part] of parts.entries()) await env.FILES.put(partKey(prefix, index), part);
  return row;
}

/** Stores a piece of a recording with one picture. */
export async function storePicture(organizationId: string, id: string): Promise<void> {
  const customMetadata = {
    codec: "avc1.42e01e",
    description: "AAAA",
    width: "10",
    height: "10",
    media: "4",
  };
  const body = Uint8Array.of(1, 2, 3, 4, ...encodeSamples([{ time: 0, size: 4, isKey: true }]));
  await env.FILES.put(partKey(recordingPrefix(organizationId, id), 1), body, { customMetadata });
}

export async function listRecordingObjects({ organizationId, id }: ReplayRow): Promise<string[]> {
  const prefix = recordingPrefix(organizationId, id);
  return (await env.FILES.list({ prefix })).objects.map(({ key }) => key.slice(prefix.length));
}
