import { z } from "@hono/zod-openapi";
import type { HonoRequest } from "hono";
import { DEFAULT_FRAME_RATE } from "../../features/recordings/index.ts";
import { recordingURL } from "../../features/sessions/index.ts";
import type { ReplayRow } from "../../lib/database/schema/replays.ts";
import { countOf, flagOf, textOf } from "../../lib/http/fields.ts";

export const startRecordingSchema = z.object({
  framerate: countOf("Frames per second, at most.", 4).min(1).max(25).default(DEFAULT_FRAME_RATE),
  max_duration_in_seconds: countOf("Ends the recording after this time.", 600).min(1).optional(),
  record_audio: flagOf("Ignored: recordings have no sound.", false).default(false),
});

const time = z.iso.datetime();

export const recordingSchema = z
  .object({
    replay_id: textOf("The recording's id.", "htzv5orfit78e1m2biiifpbv"),
    started_at: time.openapi({ description: "When it began.", example: "2026-01-02T15:04:05.123Z" }),
    finished_at: time
      .nullable()
      .openapi({ description: "When it ended; null: it is running.", example: "2026-01-02T15:14:05.123Z" }),
    replay_view_url: textOf(
      "Address of a page that plays it. It carries its own token and needs no API key.",
      "https://berth.example.com/replay/s5x2t9v1m4k7q8w3e6r0y2u5/htzv5orfit78e1m2biiifpbv?jwt=…",
    ),
    note: textOf("Why it ended early, and what is missing; null: nothing.", null).nullable(),
  })
  .openapi("Replay");

export const listedRecordingSchema = recordingSchema
  .extend({
    session_id: textOf("The session's id.", "s5x2t9v1m4k7q8w3e6r0y2u5"),
    session_name: textOf("The session's name; null: it has none.", "checkout").nullable(),
    is_session_listed: flagOf("false: the session is no longer stored, or waits in its pool.", true),
    size_bytes: countOf("Size of the video; null while it is recorded.", 1_048_576).nullable(),
  })
  .openapi("ListedReplay");

/** @param generation how often the session's URLs were revoked. */
export async function presentRecording(
  env: Env,
  request: HonoRequest,
  row: Omit<ReplayRow, "chapters" | "parts">,
  generation: number,
): Promise<z.infer<typeof recordingSchema>> {
  const { id, startedAt, finishedAt, note } = row;
  return {
    replay_id: id,
    started_at: new Date(startedAt).toISOString(),
    finished_at: finishedAt === null ? null : new Date(finishedAt).toISOString(),
    replay_view_url: await recordingURL(env, request, row, generation),
    note,
  };
}
