import { env } from "cloudflare:workers";
import { newIdentifier } from "../../src/common/identifiers.ts";
import { openDatabase } from "../../src/database/client.ts";
import { type ReplayRow, replays } from "../../src/database/schema/replays.ts";
import { partKey, replayPrefix } from "../../src/recordings/recording-files.ts";

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
    ...details,
  };
  await openDatabase(env.DB).insert(replays).values(row);
  const prefix = replayPrefix(row.organizationId, row.id);
  for (const [index, part] of parts.entries()) await env.FILES.put(partKey(prefix, index), part);
  return row;
}

export async function listReplayObjects({ organizationId, id }: ReplayRow): Promise<string[]> {
  const prefix = replayPrefix(organizationId, id);
  return (await env.FILES.list({ prefix })).objects.map(({ key }) => key.slice(prefix.length));
}
