import { ServiceError } from "../../../lib/common/errors.ts";
import { DEFAULT_FRAME_RATE, type SessionRecordings } from "../../recordings/index.ts";
import type { SessionRecord } from "../record.ts";
import { requireRecordable } from "../require-recordable.ts";
import type { SessionBrowser } from "./browser.ts";
import type { ConnectionScope } from "./scope.ts";

/** A recording lost sooner than this is continued later, because the next may be lost just as fast. */
const MIN_RECORDED_MS = 10_000;

interface Parts {
  browser: SessionBrowser;
  recordings: SessionRecordings;
}

/** The recording of a whole session, if requested. It continues after a lost connection to the browser. */
export class WholeSessionRecording {
  readonly #scope: ConnectionScope;
  readonly #browser: SessionBrowser;
  readonly #recordings: SessionRecordings;
  #beginning: Promise<void> | undefined;
  #isBegun = false;
  #begunAt = 0;
  #hasFailed = false;
  #id: string | undefined;

  constructor(scope: ConnectionScope, { browser, recordings }: Parts) {
    this.#scope = scope;
    this.#browser = browser;
    this.#recordings = recordings;
  }

  /** Begins or continues it in the background. A failure becomes an event of the session, which continues. */
  begin(): void {
    const { record } = this.#scope;
    if (this.#isBegun || record?.phase !== "active" || !record.isRecorded) return;
    this.#isBegun = true;
    this.#beginning = this.#begin(record);
    this.#scope.state.inBackground("recording_not_begun", this.#beginning);
  }

  /** Called regularly, to continue what was lost or failed. */
  beginIfConnected(): void {
    if (this.#browser.connected !== undefined) this.begin();
  }

  /** Stops a recording of the session. If it is this one, it is not continued. */
  async stop(id: string): Promise<void> {
    await this.#beginning?.catch(() => undefined);
    if (id === this.#id && this.#scope.record?.phase === "active") {
      this.#scope.state.update({ isRecorded: false });
    }
    await this.#recordings.stop(id);
  }

  async #begin({ id: sessionId, organizationId, projectId, headless }: SessionRecord): Promise<void> {
    try {
      // The browser of a pool may be older than the pool's configuration.
      requireRecordable({ headless, record: true });
      const { id } = await this.#recordings.start({
        sessionId,
        organizationId,
        projectId,
        framerate: DEFAULT_FRAME_RATE,
        onLost: () => this.#handleLoss(),
      });
      this.#id = id;
      this.#begunAt = Date.now();
      this.#hasFailed = false;
    } catch (error) {
      this.#isBegun = error instanceof ServiceError && error.code !== "service_unavailable";
      if (this.#scope.record?.phase !== "active" || this.#hasFailed) return;
      this.#hasFailed = true;
      const data = { message: error instanceof Error ? error.message : String(error) };
      this.#scope.state.telemetry.record({ category: "system", type: "recording_failed", data });
      throw error;
    }
  }

  #handleLoss(): void {
    this.#isBegun = false;
    if (Date.now() - this.#begunAt >= MIN_RECORDED_MS) this.begin();
  }
}
