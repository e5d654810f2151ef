import { logError } from "../../../lib/common/log.ts";
import { Downloads, VisitedOrigins } from "../../../platform/browser/index.ts";
import { Activity, idleSinceAfterRestart } from "../activity.ts";
import type { SessionRecord } from "../record.ts";
import type { SessionState } from "../state.ts";
import { MachineSessionFiles } from "./machine-files.ts";

/** State shared by one set of connections. Once it is closed, they no longer have a session. */
export class ConnectionScope {
  readonly state: SessionState;
  readonly activity: Activity;
  readonly visitedOrigins: VisitedOrigins;
  readonly files: MachineSessionFiles;
  readonly downloads: Downloads;
  #isClosed = false;

  /** @param onActivity called when the session becomes used or idle. */
  constructor(state: SessionState, onActivity: () => void) {
    const { env, storage } = state;
    this.state = state;
    this.activity = new Activity(idleSinceAfterRestart(storage.readActivity(), Date.now()), (activity) => {
      if (this.#isClosed) return;
      storage.writeActivity(activity);
      onActivity();
    });
    this.visitedOrigins = new VisitedOrigins(storage.readOrigins(), () => {
      if (!this.#isClosed) storage.writeOrigins(this.visitedOrigins.all());
    });
    this.files = new MachineSessionFiles(env.SESSION_MACHINE, () => this.living);
    this.downloads = new Downloads({
      files: this.files,
      beginUse: () => this.activity.begin(),
      onFailure: (error) => {
        if (this.living !== undefined) logError("download_not_stored", error, state.identity);
      },
    });
  }

  get record(): SessionRecord | undefined {
    return this.#isClosed ? undefined : this.state.record;
  }

  /** The session, unless it has ended. */
  get living(): SessionRecord | undefined {
    return this.#isClosed ? undefined : this.state.living;
  }

  close(): void {
    this.#isClosed = true;
  }
}
