import { z } from "@hono/zod-openapi";
import type { CallerEnv, CallerReach } from "../../features/organizations/index.ts";
import {
  listAllRecordings,
  listRecordings,
  serveRecording,
  toWebVTT,
} from "../../features/recordings/index.ts";
import {
  callSession,
  findSession,
  readURLGeneration,
  type SessionReference,
  sessionObject,
} from "../../features/sessions/index.ts";
import { notFound, requireFound, ServiceError } from "../../lib/common/errors.ts";
import { isIdentifier } from "../../lib/common/identifiers.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ReplayRow } from "../../lib/database/schema/replays.ts";
import { textOf } from "../../lib/http/fields.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { pageQuerySchema, pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";
import { requireFeatures } from "../../platform/capabilities/index.ts";
import { listedRecordingSchema, presentRecording, recordingSchema, startRecordingSchema } from "./schema.ts";

export const recordingRoutes = newRouter<CallerEnv>();

const route = routesOf("Recordings", API_KEY_SECURITY);
const params = z.object({ id: textOf("The session's id or name.") });
const recordingParams = params.extend({
  replay_id: textOf("The recording's id."),
});
const RECORDING = { description: "It is still being recorded." };

recordingRoutes.openapi(
  route("post", "/browsers/{id}/replays", {
    operationId: "startRecording",
    summary: "Start a recording",
    description:
      "Records the tab in front as a video, until it is stopped or the session ends. At most 4 at once.",
    request: { params, body: jsonRequest(startRecordingSchema) },
    responses: { 200: jsonResponse(recordingSchema, "The recording.") },
    errors: [501],
  }),
  async (c) => {
    await requireFeatures(c.env, ["record"]);
    const { caller } = c.var;
    const { framerate, max_duration_in_seconds } = c.req.valid("json");
    const maxDurationMs = max_duration_in_seconds && max_duration_in_seconds * 1000;
    const reference = { caller, idOrName: c.req.valid("param").id };
    const { replay, generation } = await callSession(c.env, reference, (id) =>
      sessionObject(c.env, id).startRecording(caller, { framerate, maxDurationMs }),
    );
    return c.json(await presentRecording(c.env, c.req, replay, generation), 200);
  },
);

recordingRoutes.openapi(
  route("get", "/browsers/{id}/replays", {
    operationId: "listSessionRecordings",
    summary: "List a session's recordings",
    description: "Oldest first; also works for a session that has ended.",
    request: { params },
    responses: { 200: jsonResponse(z.array(recordingSchema), "The recordings.") },
  }),
  async (c) => {
    const { recordings, sessionId } = await findRecordings(c.env, {
      caller: c.var.caller,
      idOrName: c.req.valid("param").id,
    });
    const generation = await readURLGeneration(c.env, sessionId);
    return c.json(
      await Promise.all(recordings.map((row) => presentRecording(c.env, c.req, row, generation))),
      200,
    );
  },
);

recordingRoutes.openapi(
  route("get", "/org/recordings", {
    operationId: "listRecordings",
    summary: "List the recordings of all sessions",
    description: "Those of the project, newest first, including those of sessions that have ended.",
    request: { query: pageQuerySchema },
    responses: { 200: pageResponse(listedRecordingSchema, "A page of recordings.") },
  }),
  async (c) => {
    const page = c.req.valid("query");
    const rows = await listAllRecordings(openDatabase(c.env.DB), c.var.caller, page);
    const { items, headers } = toPage(rows, page);
    const present = async ({ recording, session }: (typeof items)[number]) => {
      const { sessionId: session_id, finishedAt, sizeBytes } = recording;
      const generation = session?.urlGeneration ?? sessionObject(c.env, session_id).readURLGeneration();
      return {
        ...(await presentRecording(c.env, c.req, recording, await generation)),
        session_id,
        session_name: session?.name ?? null,
        is_session_listed: session?.state === "active" || session?.state === "ended",
        size_bytes: finishedAt === null ? null : sizeBytes,
      };
    };
    return c.json(await Promise.all(items.map(present)), 200, headers);
  },
);

recordingRoutes.openapi(
  route("post", "/browsers/{id}/replays/{replay_id}/stop", {
    operationId: "stopRecording",
    summary: "Stop a recording",
    description: "Afterwards it can be downloaded. Stopping it again has no effect.",
    request: { params: recordingParams },
    responses: { 204: { description: "It has ended." } },
  }),
  async (c) => {
    const { caller } = c.var;
    const row = await requireRecording(c.env, caller, c.req.valid("param"));
    if (row.finishedAt !== null) return c.body(null, 204);
    const outcome = await sessionObject(c.env, row.sessionId).stopRecording(caller, row.id);
    // The end of the session also ended the recording.
    if (!outcome.ok && outcome.error.code !== "not_found") throw ServiceError.fromRecord(outcome.error);
    return c.body(null, 204);
  },
);

recordingRoutes.openapi(
  route("get", "/browsers/{id}/replays/{replay_id}", {
    operationId: "downloadRecording",
    summary: "Download a recording",
    description:
      "An MP4 file with H.264, or VP9 if the browser cannot encode H.264. Byte ranges are supported.",
    request: { params: recordingParams },
    responses: {
      200: {
        description: "The video.",
        content: { "video/mp4": { schema: z.string().openapi({ format: "binary" }) } },
      },
      206: { description: "A range of the video." },
      202: RECORDING,
      416: { description: "The range is outside the video." },
    },
  }),
  async (c) => {
    const row = await requireRecording(c.env, c.var.caller, c.req.valid("param"));
    if (row.finishedAt === null) return c.body(null, 202, { "retry-after": "2" });
    return serveRecording(c.env.FILES, row, c.req.header("range"));
  },
);

recordingRoutes.openapi(
  route("get", "/browsers/{id}/replays/{replay_id}/chapters", {
    operationId: "getRecordingChapters",
    summary: "Get a recording's chapters",
    description: "The pages that were in front, as WebVTT. Secrets in addresses are hidden.",
    request: { params: recordingParams },
    responses: {
      200: { description: "The chapters.", content: { "text/vtt": { schema: z.string() } } },
      202: RECORDING,
    },
  }),
  async (c) => {
    const { chapters, startedAt, finishedAt } = await requireRecording(
      c.env,
      c.var.caller,
      c.req.valid("param"),
    );
    if (finishedAt === null) return c.body(null, 202, { "retry-after": "2" });
    return c.body(toWebVTT(chapters, finishedAt - startedAt), 200, {
      "content-type": "text/vtt; charset=utf-8",
    });
  },
);

/** Pooled sessions are not listed between leases, and their rows are removed; their recordings are kept. */
async function findRecordings(
  env: Env,
  { caller, idOrName }: SessionReference,
): Promise<{ recordings: ReplayRow[]; sessionId: string }> {
  const database = openDatabase(env.DB);
  const session = await findSession(database, caller, idOrName, { includeEnded: true });
  const mayBeRemoved = caller.invocationId === null && isIdentifier(idOrName);
  const sessionId = requireFound(session?.id ?? (mayBeRemoved ? idOrName : undefined), "browser session");
  const recordings = await listRecordings(database, caller, sessionId);
  if (session === undefined && recordings.length === 0) throw notFound("browser session");
  return { recordings, sessionId };
}

/** @throws ServiceError 404 */
async function requireRecording(
  env: Env,
  caller: CallerReach,
  path: { id: string; replay_id: string },
): Promise<ReplayRow> {
  const { recordings } = await findRecordings(env, { caller, idOrName: path.id });
  return requireFound(
    recordings.find(({ id }) => id === path.replay_id),
    "recording",
  );
}
