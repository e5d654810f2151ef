import { exports } from "cloudflare:workers";
import { ServiceError, serviceUnavailable } from "../../lib/common/errors.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { type LogFields, logEvent } from "../../lib/common/log.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { ReplayRow } from "../../lib/database/schema/replays.ts";
import type { RemoteBrowser, Viewport } from "../../platform/browser/index.ts";
import type { FrontScreencast } from "../live-view/index.ts";
import type { UnfinishedRecording } from "./finish-recording.ts";
import { openEncoder, Recorder } from "./recorder.ts";
import { PIECE_BYTES, RecordingFiles, recordingPrefix } from "./recording-files.ts";
import { insertRecording, reserveRecordingBytes } from "./store.ts";

/** Each encodes every picture by itself. */
const MAX_RECORDINGS = 4;

/** Larger pictures slow the session's client: the browser scales, compresses and encodes each of them. */
const MAX_VIDEO_SIDE = 1280;

export const DEFAULT_FRAME_RATE = 4;

export const SERVICE_FAILED = "the service failed while it was recording";

/** The unfinished recordings of a session, in storage that survives a crash. */
export interface RecordingJournal {
  readRecordings(): UnfinishedRecording[];
  writeRecording(recording: UnfinishedRecording): void;
  removeRecording(id: string): void;
}

interface SessionRecordingsOptions {
  env: Env;
  screencast: FrontScreencast;
  journal: RecordingJournal;
  connect: () => Promise<RemoteBrowser>;
  viewport: () => Viewport;
  identify: () => LogFields;
  /** Keeps the object alive until the work is done, and logs its failure as the event. */
  inBackground: (event: string, work: Promise<unknown>) => void;
}

export interface RecordingStart extends ProjectScope {
  sessionId: string;
  /** Frames per second, at most. */
  framerate: number;
  /** Absent: until the session ends. */
  maxDurationMs?: number;
  /** Called when the recording has ended because the connection to the browser was lost. */
  onLost?: () => void;
}

interface Recording {
  recorder: Recorder;
  files: RecordingFiles;
  organizationId: string;
  onLost: RecordingStart["onLost"];
}

/**
 * The recordings of a session.
 *
 * @example
 * ```ts
 * const { id } = await recordings.start({ sessionId, organizationId, projectId, framerate: 10 });
 * await recordings.stop(id);
 * ```
 */
export class SessionRecordings {
  readonly #options: SessionRecordingsOptions;
  /** Recordings whose files are not complete yet. */
  readonly #recordings = new Map<string, Recording>();
  readonly #finishing = new Map<string, Promise<void>>();
  #starting = 0;
  #isClosed = false;

  constructor(options: SessionRecordingsOptions) {
    this.#options = options;
  }

  /**
   * Begins a recording of the tab in front, whichever it is.
   *
   * @throws ServiceError 413 when the organization's storage is full, 429 at the limit of concurrent
   * recordings, 503 when the browser does not answer.
   */
  async start(start: RecordingStart): Promise<ReplayRow> {
    const running = [...this.#recordings.values()].filter(({ recorder }) => !recorder.hasEnded);
    if (running.length + this.#starting >= MAX_RECORDINGS) {
      const message = `This session already has ${MAX_RECORDINGS} running recordings; stop one`;
      throw new ServiceError("too_many_requests", message, { shouldRetry: false });
    }
    this.#starting += 1;
    try {
      return await this.#start(start);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw serviceUnavailable("The session's browser cannot be recorded now", 1, error);
    } finally {
      this.#starting -= 1;
    }
  }

  /** Ends a recording and completes its file. Ending it again changes nothing. @throws ServiceError 503 */
  async stop(id: string): Promise<void> {
    await this.#recordings.get(id)?.recorder.end();
    await this.#finish(id).catch((error) => {
      throw serviceUnavailable("The recording has ended, but the storage does not answer", 5, error);
    });
  }

  /** Ends all recordings, within a second. Their files are completed in the background. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#recordings.values()].map(({ recorder }) => recorder.end()));
  }

  /** Completes the recordings that have ended, including those that a crash ended. @throws what fails. */
  async finishEnded(): Promise<void> {
    for (const { id } of this.#options.journal.readRecordings()) {
      if (this.#recordings.get(id)?.recorder.hasEnded ?? true) await this.#finish(id);
    }
  }

  finishEndedSoon(): void {
    this.#options.inBackground("recording_not_finished", this.finishEnded());
  }

  async #start(start: RecordingStart): Promise<ReplayRow> {
    const { sessionId, organizationId, projectId, framerate, maxDurationMs, onLost } = start;
    const { env, connect, viewport, screencast } = this.#options;
    const { quotas } = readSettings(env);
    const database = openDatabase(env.DB);
    const browser = await connect();
    const size = { ...fitVideo(viewport()), framerate };
    const page = await openEncoder(browser, size);
    const id = newIdentifier();
    const row: ReplayRow = {
      id,
      organizationId,
      sessionId,
      startedAt: Date.now(),
      finishedAt: null,
      sizeBytes: PIECE_BYTES,
      mimeType: null,
      parts: [],
      chapters: [],
      note: null,
      projectId,
    };
    try {
      await insertRecording(database, row, quotas);
    } catch (error) {
      page.close();
      throw error;
    }
    const files = new RecordingFiles({
      ...size,
      files: env.FILES,
      prefix: recordingPrefix(organizationId, id),
      reserve: (bytes) => reserveRecordingBytes(database, row, bytes, quotas),
    });
    const recorder = new Recorder(page, {
      screencast,
      size,
      files,
      maxDurationMs: maxDurationMs ?? Number.POSITIVE_INFINITY,
      onProgress: () => this.#handleProgress(id),
    });
    this.#recordings.set(id, { recorder, files, organizationId, onLost });
    this.#handleProgress(id);
    // The session may have ended in the meantime.
    if (this.#isClosed) await recorder.end();
    return row;
  }

  #handleProgress(id: string): void {
    const recording = this.#recordings.get(id);
    if (recording === undefined) return;
    const { recorder, organizationId, onLost } = recording;
    const { chapters, durationMs, hasEnded } = recorder;
    const note = hasEnded ? recorder.note : SERVICE_FAILED;
    this.#options.journal.writeRecording({ id, organizationId, chapters, durationMs, note });
    if (!hasEnded) return;
    const fields = { replay_id: id, duration_ms: durationMs, note };
    logEvent("recording_ended", { ...this.#options.identify(), ...fields });
    this.#options.inBackground("recording_not_finished", this.#finish(id));
    if (recorder.isLost) onLost?.();
  }

  #finish(id: string): Promise<void> {
    const finishing =
      this.#finishing.get(id) ?? this.#finishOnce(id).finally(() => this.#finishing.delete(id));
    this.#finishing.set(id, finishing);
    return finishing;
  }

  async #finishOnce(id: string): Promise<void> {
    const { journal } = this.#options;
    await this.#recordings.get(id)?.files.store();
    const recording = journal.readRecordings().find((entry) => entry.id === id);
    if (recording === undefined) return;
    await exports.OutgoingCalls.finishRecording(recording);
    this.#recordings.delete(id);
    journal.removeRecording(id);
  }
}

/** @returns even sizes, which H.264 requires. */
function fitVideo({ width, height }: Viewport): { width: number; height: number } {
  const scale = Math.min(1, MAX_VIDEO_SIDE / Math.max(width, height));
  return { width: Math.floor(width * scale) & ~1, height: Math.floor(height * scale) & ~1 };
}
