import { type Context, Hono } from "hono";
import {
  endedByLoss,
  findRecording,
  listItems,
  type RecordingDocument,
  serveRecording,
  toWebVTT,
} from "../../features/recordings/index.ts";
import {
  describeEnd,
  findSession,
  RECORDING_PATH,
  REVOKED,
  readEvents,
  readURLGeneration,
  urlTokens,
} from "../../features/sessions/index.ts";
import { CATEGORIES, type TelemetryEvent } from "../../features/telemetry/index.ts";
import { requireFound, unauthorized } from "../../lib/common/errors.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ReplayRow } from "../../lib/database/schema/replays.ts";
import { staticFile, staticPage } from "../static-page.ts";

const MAX_EVENTS = 5000;
const EVENTS_PER_READ = 1000;

/** A session without its browser ends sooner. */
const LOSS_MS = 60_000;

const END_OF_LOST = new Set([
  "monitor_disconnected",
  "monitor_reconnected",
  "service_crashed",
  "session_ended",
]);

/** Pictures would make the answer large. `monitor` says that events are missing. */
const SHOWN_CATEGORIES = [...CATEGORIES.filter((category) => category !== "screenshot"), "monitor" as const];

const NO_STORE = { "cache-control": "no-store" };

const RECORDING = `${RECORDING_PATH}/:session/:replay` as const;

interface RecordingEnv {
  Bindings: Env;
  Variables: {
    sessionId?: string;
  };
}

type RecordingContext = Context<RecordingEnv, `${typeof RECORDING}/${string}`>;

/** The page that plays a recording, and what it loads. A signed token authenticates the data. */
export const recordingPageRoutes = new Hono<RecordingEnv>();

recordingPageRoutes.get(RECORDING, (c) =>
  staticPage(c.env, "replay-view", ["img-src data:", "media-src 'self'", "connect-src 'self'"]),
);

recordingPageRoutes.get("/replay-view/:file{[a-z]+\\.(?:js|css)}", (c) =>
  staticFile(c.env, `replay-view/${c.req.param("file")}`),
);

recordingPageRoutes.get(`${RECORDING}/video`, async (c) => {
  const row = await requireRecording(c);
  return row.finishedAt === null
    ? c.body(null, 202)
    : serveRecording(c.env.FILES, row, c.req.header("range"));
});

recordingPageRoutes.get(`${RECORDING}/chapters`, async (c) => {
  const { chapters, startedAt, finishedAt } = await requireRecording(c);
  const text = toWebVTT(chapters, (finishedAt ?? Date.now()) - startedAt);
  return c.body(text, 200, { "content-type": "text/vtt; charset=utf-8", ...NO_STORE });
});

recordingPageRoutes.get(`${RECORDING}/events`, async (c) => {
  const row = await requireRecording(c);
  const { startedAt, finishedAt, note, sizeBytes, sessionId } = row;
  const reach = { ...row, invocationId: null };
  const found = await findSession(openDatabase(c.env.DB), reach, sessionId, { includeEnded: true });
  // The row of a pool browser may describe a later lease, which is not this link's.
  const session = found?.poolId === null ? found : undefined;
  const endReason = (session && describeEnd(session, undefined)) ?? null;
  const recording = { startedAt, finishedAt, note, sizeBytes, sessionName: session?.name ?? null, endReason };
  const body: RecordingDocument =
    finishedAt === null
      ? { recording, items: [], isCut: false }
      : { recording, ...(await readItems(c.env, row, finishedAt)) };
  return c.json(body, 200, NO_STORE);
});

/** What happened while a session was recorded. A recording ends with its lease, so it contains no other. */
async function readItems(
  env: Env,
  row: ReplayRow,
  finishedAt: number,
): Promise<Pick<RecordingDocument, "items" | "isCut">> {
  const { organizationId, projectId, sessionId, startedAt } = row;
  // The session may have ended or not, so its events file is looked for first.
  const session = { id: sessionId, organizationId, state: "ended" as const };
  const reader = { organizationId, projectId, invocationId: null };
  const events: TelemetryEvent[] = [];
  let cursor: number | undefined;
  const read = (since: number, until: number, from?: number) =>
    readEvents(env, reader, session, {
      order: "asc",
      limit: EVENTS_PER_READ,
      cursor: from,
      since: since * 1000,
      until: until * 1000,
      categories: SHOWN_CATEGORIES,
    });
  do {
    const page = await read(startedAt, finishedAt, cursor);
    events.push(...page.items.map(({ event }) => event));
    cursor = page.nextCursor;
  } while (cursor !== undefined && events.length < MAX_EVENTS);
  if (endedByLoss(row)) {
    // The session is waiting for its browser to come back. Whatever happened to it also ends the recording.
    const { items } = await read(finishedAt, finishedAt + LOSS_MS);
    events.push(...items.map(({ event }) => event).filter(({ type }) => END_OF_LOST.has(type)));
  }
  return { items: listItems(row, events), isCut: cursor !== undefined };
}

/** @throws ServiceError 401 unless the address's token is valid for this recording, 404 if it is deleted. */
async function requireRecording(c: RecordingContext): Promise<ReplayRow> {
  const { session, replay } = c.req.param();
  const token = c.req.query("jwt");
  if (token === undefined) throw unauthorized("This address requires its token (jwt) in the query");
  const tokens = urlTokens(c.env, readSettings(c.env).tokenLifetimeMs);
  const { generation } = await tokens.verify(token, replay, ["replay"]);
  c.set("sessionId", session);
  const row = requireFound(await findRecording(openDatabase(c.env.DB), session, replay), "recording");
  if (generation < (await readURLGeneration(c.env, session))) throw unauthorized(REVOKED);
  return row;
}
