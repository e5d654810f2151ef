import { ROOT_INODE } from "./inodes.ts";
import { Refusal } from "./refusal.ts";
import type { Sql } from "./sql.ts";

/** What the quota counts for a name: the room that its rows take, so that empty files are not free. */
export const NAME_BYTES = 512;

type Counters = {
  /** Bytes of content, and those of names. */
  used: number;
  files: number;
  /** The next inode or content has this number. None is given twice, so what is kept of one stays true. */
  nextNumber: number;
};

/**
 * What is used of the quota. The counters are a row, read when a transaction begins and written before it ends: what
 * it undoes is undone in them too, and a crash loses nothing.
 */
export class Space {
  readonly quotaBytes: number;
  readonly #sql: Sql;
  #stored: Counters = { used: 0, files: 0, nextNumber: 1 };
  #counters: Counters = this.#stored;

  constructor(sql: Sql, quotaBytes: number) {
    this.#sql = sql;
    this.quotaBytes = quotaBytes;
  }

  createTable(): void {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS file_space (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        used INTEGER NOT NULL,
        files INTEGER NOT NULL,
        next_number INTEGER NOT NULL
      )`,
    );
    this.#sql.exec(
      "INSERT OR IGNORE INTO file_space (id, used, files, next_number) VALUES (1, 0, 0, ?)",
      ROOT_INODE,
    );
  }

  /** Reads the counters anew, at the beginning of a transaction. */
  load(): void {
    const [stored] = this.#sql
      .exec<Counters>("SELECT used, files, next_number AS nextNumber FROM file_space WHERE id = 1")
      .toArray();
    // Before the tables are made, or after they are gone with the session.
    if (stored === undefined) throw new Refusal("EIO");
    this.#stored = stored;
    this.#counters = { ...stored };
  }

  /** Writes them, at its end. */
  save(): void {
    const { used, files, nextNumber } = this.#counters;
    const stored = this.#stored;
    if (used === stored.used && files === stored.files && nextNumber === stored.nextNumber) return;
    this.#sql.exec(
      "UPDATE file_space SET used = ?, files = ?, next_number = ? WHERE id = 1",
      used,
      files,
      nextNumber,
    );
  }

  get used(): number {
    return this.#counters.used;
  }

  get files(): number {
    return this.#counters.files;
  }

  /** How many bytes more there would be than the quota allows. */
  excessWith(bytes: number): number {
    return this.#counters.used + bytes - this.quotaBytes;
  }

  /** Counts bytes that are taken, or given back where they are negative. */
  count(bytes: number): void {
    this.#counters.used += bytes;
  }

  countFiles(files: number): void {
    this.#counters.files += files;
  }

  nextNumber(): number {
    const number = this.#counters.nextNumber;
    this.#counters.nextNumber += 1;
    return number;
  }
}
