import { sweepInSteps } from "../../lib/common/concurrency.ts";
import { deleteObjects } from "../../lib/common/delete-objects.ts";
import { logError } from "../../lib/common/log.ts";
import { removeOrphanedObjects } from "../../lib/common/orphaned-objects.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { listKnownIds } from "../../lib/database/known-ids.ts";
import { type ReplayRow, replays } from "../../lib/database/schema/replays.ts";
import type { Background } from "../../lib/objects/background.ts";
import { finishRecording } from "./finish-recording.ts";
import { RECORDINGS_PREFIX, recordingPrefix } from "./recording-files.ts";
import { SERVICE_FAILED } from "./session-recordings.ts";
import { listCrashedRecordings, listExpiredRecordings, removeRecording } from "./store.ts";

const MAX_ROWS = 20;

/** The end of a session finishes its recordings itself, unless it crashes. */
const CRASHED_AFTER_MS = 10 * 60_000;

/** Finishes recordings that crashes left behind, and deletes expired ones. */
export async function sweepRecordings(background: Background, now: number): Promise<void> {
  const { env } = background;
  const database = openDatabase(env.DB);
  const { replayRetentionMs } = readSettings(env);
  const finish = ({ id, organizationId }: ReplayRow) =>
    finishRecording(background, {
      id,
      organizationId,
      chapters: [],
      note: SERVICE_FAILED,
    });
  const remove = async ({ id, organizationId }: ReplayRow) => {
    await deleteObjects(env.FILES, recordingPrefix(organizationId, id));
    await removeRecording(database, id);
  };
  await sweepInSteps([
    async () => forEach(await listCrashedRecordings(database, now - CRASHED_AFTER_MS, MAX_ROWS), finish),
    async () => forEach(await listExpiredRecordings(database, now - replayRetentionMs, MAX_ROWS), remove),
    () =>
      removeOrphanedObjects(env.FILES, {
        prefix: RECORDINGS_PREFIX,
        minute: 30,
        ownerOf: (key) => key.split("/")[2],
        findKnown: (ids) => listKnownIds(database, replays, ids),
        now,
      }),
  ]);
}

/** The next sweep retries what fails. */
async function forEach(rows: ReplayRow[], work: (row: ReplayRow) => Promise<void>): Promise<void> {
  for (const row of rows) await work(row).catch((error) => logError("sweep_step_failed", error));
}
