import type { ReportError } from "../report-error.ts";
import type { TimeSlice } from "../time-slice.ts";
import { ROOT } from "../users.ts";
import { TreeRemoval } from "./tree-removal.ts";
import type { Volume } from "./volume.ts";

const STEPS_PER_RECLAIM = 100;

/** Removes orphans in steps, while other things go on. */
export class Reclaimer {
  readonly #volume: Volume;
  readonly #slice: TimeSlice;
  readonly #onError: ReportError;
  #running: Promise<void> | undefined;

  constructor(volume: Volume, slice: TimeSlice, onError: ReportError) {
    this.#volume = volume;
    this.#slice = slice;
    this.#onError = onError;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when no orphans are left. */
  async finish(): Promise<void> {
    this.start();
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      // The transaction that made the orphan ends first.
      await Promise.resolve();
      while (!this.#volume.isClosed) {
        const [orphan] = this.#volume.orphans();
        if (orphan === undefined) return;
        if (orphan.type === "file") this.#volume.transact(() => this.#volume.reclaim(orphan));
        else await this.#removeDirectory(orphan.inode);
        await this.#slice.step(STEPS_PER_RECLAIM);
      }
    } catch (error) {
      // The next start goes on.
      if (!this.#volume.isClosed) this.#onError("file_reclaim_failed", error);
    } finally {
      // This is in the same turn as the last search, so that no later orphan is missed.
      this.#running = undefined;
    }
  }

  async #removeDirectory(inode: number): Promise<void> {
    await new TreeRemoval(this.#volume, this.#slice, ROOT).remove({ inode, name: "" });
  }
}
