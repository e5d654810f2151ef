import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { findRecording } from "../../../src/features/recordings/store.ts";
import { sweepRecordings } from "../../../src/features/recordings/sweep.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { newClient } from "../../api.ts";
import { insertEndedRow, insertSessionRow } from "../../records.ts";
import { insertReplayRow, listRecordingObjects } from "./recordings.ts";

const background = { env, waitUntil: () => undefined };

const DAY_MS = 24 * 3_600_000;
const { organizationId } = await newClient();

const find = (row: { sessionId: string; id: string }) =>
  findRecording(openDatabase(env.DB), row.sessionId, row.id);

describe("sweepRecordings", () => {
  it("deletes recordings when the session's end is REPLAY_RETENTION_SECONDS ago", async () => {
    const ago = (days: number) => Date.now() - days * DAY_MS;
    const living = await insertSessionRow({ organizationId });
    const recent = await insertEndedRow({ organizationId, deletedAt: ago(29) });
    const old = await insertEndedRow({ organizationId, deletedAt: ago(31) });
    const pooled = await insertSessionRow({ organizationId, poolId: "pool" });
    const insert = (sessionId: string) =>
      insertReplayRow({ organizationId, sessionId, finishedAt: ago(31) }, ["head", "piece"]);
    const kept = [await insert(living.id), await insert(recent.id)];
    const expired = [await insert(old.id), await insert(pooled.id), await insert("removed session")];
    await sweepRecordings(background, Date.now());
    for (const row of kept) expect(await find(row)).toBeDefined();
    for (const row of expired) {
      expect(await find(row)).toBeUndefined();
      expect(await listRecordingObjects(row)).toEqual([]);
    }
  });

  it("deletes the recordings of deleted organizations", async () => {
    const row = await insertReplayRow({ organizationId: "deleted", sessionId: "s" }, ["head"]);
    await sweepRecordings(background, Date.now());
    expect(await find(row)).toBeUndefined();
    expect(await listRecordingObjects(row)).toEqual([]);
  });

  it("finishes recordings whose session has ended without finishing them", async () => {
    const ended = await insertEndedRow({ organizationId });
    const living = await insertSessionRow({ organizationId });
    const startedAt = Date.now() - DAY_MS;
    const unfinished = { organizationId, startedAt, finishedAt: null, mimeType: null };
    const crashed = await insertReplayRow({ ...unfinished, sessionId: ended.id });
    const running = await insertReplayRow({ ...unfinished, sessionId: living.id });
    await sweepRecordings(background, Date.now());
    expect(await find(running)).toMatchObject({ finishedAt: null });
    expect(await find(crashed)).toMatchObject({
      finishedAt: startedAt + 1,
      sizeBytes: 0,
      note: "the service failed while it was recording; no picture was stored",
    });
  });
});
