import type { ReportError } from "../report-error.ts";
import type { TimeSlice } from "../time-slice.ts";
import { ROOT } from "../users.ts";
import { TreeRemoval } from "./tree-removal.ts";
import type { Volume } from "./volume.ts";

/** What a step of it is worth beside an ordinary one. */
const STEPS_A_RECLAIM = 100;

/** Removes what nobody can reach any more, in steps while other things go on. */
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

  /** Begins, unless it is at it already. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when nothing is left to be removed. */
  async finish(): Promise<void> {
    this.start();
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      // Not in the midst of what has made the orphan.
      await Promise.resolve();
      while (!this.#volume.isClosed && (this.#reclaimFile() || (await this.#reclaimDirectory()))) {
        await this.#slice.step(STEPS_A_RECLAIM);
      }
    } catch (error) {
      // A crash would leave no more behind; the next start goes on.
      if (!this.#volume.isClosed) this.#onError("file_reclaim_failed", error);
    } finally {
      // In the same turn as the last look for orphans, so that none that comes later is overlooked.
      this.#running = undefined;
    }
  }

  /** @returns whether there was one. */
  #reclaimFile(): boolean {
    const [orphan] = this.#volume.orphans("file");
    if (orphan !== undefined) this.#volume.transact(() => this.#volume.reclaim(orphan));
    return orphan !== undefined;
  }

  async #reclaimDirectory(): Promise<boolean> {
    const [orphan] = this.#volume.orphans("directory");
    if (orphan === undefined) return false;
    await new TreeRemoval(this.#volume, this.#slice, ROOT).removeOrphan(orphan.inode);
    return true;
  }
}
