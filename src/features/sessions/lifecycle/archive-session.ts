import { deleteArchive, writeArchive } from "../../telemetry/index.ts";
import type { SessionRecord } from "../record.ts";
import type { SessionState } from "../state.ts";

type SessionKey = Pick<SessionRecord, "id" | "organizationId">;

/** Name of the file of an ended session's last screenshot. */
export function screenshotKey({ id, organizationId }: SessionKey): string {
  return `evidence/${organizationId}/${id}.jpg`;
}

/** Moves the events and the screenshot of an ended session from its object to files. It may be repeated. */
export async function archiveSession(state: SessionState): Promise<void> {
  const { env, record, settings, storage, telemetry } = state;
  if (record?.phase !== "ended" || record.hasFiles !== undefined) return;
  const { store } = telemetry;
  const isKept = settings.telemetryRetentionMs > 0;
  const hasEvents = isKept && store.lastSeq > 0;
  const picture = isKept ? storage.readSnapshot()?.picture : undefined;
  const { organizationId, id: sessionId } = record;
  await Promise.all([
    hasEvents && writeArchive(env.FILES, { organizationId, sessionId }, store),
    picture && env.FILES.put(screenshotKey(record), picture, { httpMetadata: { contentType: "image/jpeg" } }),
  ]);
  if (state.record === undefined) {
    // The tombstone was removed in the meantime.
    await deleteSessionFiles(env.FILES, record);
    return;
  }
  state.write({ ...state.record, hasFiles: hasEvents || picture !== undefined });
  store.clear();
  storage.deleteSnapshot();
}

export async function deleteSessionFiles(files: R2Bucket, session: SessionKey): Promise<void> {
  const { organizationId, id: sessionId } = session;
  await Promise.all([
    deleteArchive(files, { organizationId, sessionId }),
    files.delete(screenshotKey(session)),
  ]);
}
