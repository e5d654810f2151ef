import type { FileStatus, FileType } from "./file-system.ts";
import type { Sql } from "./sql.ts";

export const ROOT_INODE = 1;

/** A status as the columns of a row are typed. */
type StatusRow = Pick<FileStatus, keyof FileStatus>;

/** A file, under whichever names. */
export type Inode = StatusRow & {
  /** Where the bytes of a file are. */
  content: number;
  /** Of a symlink, what it names; of others empty. */
  target: string;
};

export type NamedInode = Inode & { name: string };

/** A directory's entry, as a row. */
type EntryRow = StatusRow & { name: string };

/** What an inode is made of, beside what it begins with. */
export type NewInode = Pick<Inode, "inode" | "type" | "mode" | "uid" | "gid" | "size" | "content" | "target">;

/** Columns that change while a file exists. */
type ChangingColumn =
  | "mode"
  | "uid"
  | "gid"
  | "links"
  | "size"
  | "content"
  | "accessed_at"
  | "modified_at"
  | "changed_at";

/** Directories that are held in memory. */
const MAX_CACHED_DIRECTORIES = 20_000;

const STATUS_COLUMNS = `inode.id AS inode, type, mode, uid, gid, links, size,
  accessed_at AS accessedAt, modified_at AS modifiedAt, changed_at AS changedAt`;

const COLUMNS = `${STATUS_COLUMNS}, content, target`;

/** The rows of files and of directories' entries. Knows no rights, and keeps no link count by itself. */
export class Inodes {
  readonly #sql: Sql;
  /** Directories as they were read since their last change, by the one that holds them and their name there. */
  readonly #directories = new Map<number, Map<string, Inode>>();
  /** Where in that each of them is. A directory has one name. */
  readonly #places = new Map<number, { directory: number; name: string }>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  createTables(): void {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS inode (
        id INTEGER PRIMARY KEY,
        type TEXT NOT NULL,
        mode INTEGER NOT NULL,
        uid INTEGER NOT NULL,
        gid INTEGER NOT NULL,
        links INTEGER NOT NULL,
        size INTEGER NOT NULL,
        content INTEGER NOT NULL,
        target TEXT NOT NULL,
        accessed_at REAL NOT NULL,
        modified_at REAL NOT NULL,
        changed_at REAL NOT NULL
      )`,
    );
    this.#sql.exec("CREATE INDEX IF NOT EXISTS inode_orphan ON inode (id) WHERE links = 0");
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS directory_entry (
        directory INTEGER NOT NULL,
        name TEXT NOT NULL,
        inode INTEGER NOT NULL,
        PRIMARY KEY (directory, name)
      ) WITHOUT ROWID`,
    );
  }

  get(inode: number): Inode | undefined {
    return this.#sql.exec<Inode>(`SELECT ${COLUMNS} FROM inode WHERE id = ?`, inode).toArray()[0];
  }

  /** Every path begins at the root, so that the directories on its way are asked for again and again. */
  lookUp(directory: number, name: string): Inode | undefined {
    const known = this.#directories.get(directory)?.get(name);
    if (known !== undefined) return known;
    const found = this.#sql
      .exec<Inode>(
        `SELECT ${COLUMNS} FROM inode
        WHERE id = (SELECT inode FROM directory_entry WHERE directory = ? AND name = ?)`,
        directory,
        name,
      )
      .toArray()[0];
    if (found?.type === "directory") this.#cache(directory, name, found);
    return found;
  }

  /** Nothing of what was read holds any more, as after a transaction that was taken back. */
  forget(): void {
    this.#directories.clear();
    this.#places.clear();
  }

  #cache(directory: number, name: string, found: Inode): void {
    if (this.#places.size >= MAX_CACHED_DIRECTORIES) this.forget();
    const entries = this.#directories.get(directory) ?? new Map<string, Inode>();
    this.#directories.set(directory, entries.set(name, found));
    this.#places.set(found.inode, { directory, name });
  }

  /** Runs a statement that changes one file. */
  #change(inode: number, query: string, ...values: (string | number)[]): void {
    const place = this.#places.get(inode);
    if (place !== undefined) this.#directories.get(place.directory)?.delete(place.name);
    this.#places.delete(inode);
    this.#sql.exec(query, ...values);
  }

  /** What a directory holds, by the bytes of the names. */
  entries(directory: number): EntryRow[] {
    return this.#sql
      .exec<EntryRow>(
        `SELECT entry.name, ${STATUS_COLUMNS} FROM directory_entry AS entry JOIN inode ON inode.id = entry.inode
        WHERE entry.directory = ? ORDER BY entry.name`,
        directory,
      )
      .toArray();
  }

  /** The first of what a directory holds behind a name. */
  entriesAfter(directory: number, name: string, most: number): NamedInode[] {
    return this.#sql
      .exec<NamedInode>(
        `SELECT entry.name, ${COLUMNS} FROM directory_entry AS entry JOIN inode ON inode.id = entry.inode
        WHERE entry.directory = ? AND entry.name > ? ORDER BY entry.name LIMIT ?`,
        directory,
        name,
        most,
      )
      .toArray();
  }

  isEmpty(directory: number): boolean {
    return (
      this.#sql.exec("SELECT 1 FROM directory_entry WHERE directory = ? LIMIT 1", directory).toArray()
        .length === 0
    );
  }

  insert(
    { inode, type, mode, uid, gid, size, content, target }: NewInode,
    links: number,
    now: number,
  ): Inode {
    this.#sql.exec(
      `INSERT INTO inode (id, type, mode, uid, gid, links, size, content, target,
        accessed_at, modified_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[inode, type, mode, uid, gid, links, size, content, target, now, now, now],
    );
    const times = { accessedAt: now, modifiedAt: now, changedAt: now };
    return { inode, type, mode, uid, gid, links, size, content, target, ...times };
  }

  delete(inode: number): void {
    this.#change(inode, "DELETE FROM inode WHERE id = ?", inode);
  }

  addEntry(directory: number, name: string, inode: number): void {
    this.#sql.exec(
      "INSERT INTO directory_entry (directory, name, inode) VALUES (?, ?, ?)",
      directory,
      name,
      inode,
    );
  }

  deleteEntry(directory: number, name: string): void {
    this.#directories.get(directory)?.delete(name);
    this.#sql.exec("DELETE FROM directory_entry WHERE directory = ? AND name = ?", directory, name);
  }

  /** Counts names of a file, or directories in a directory, that have come or gone. An orphan stays one. */
  addLinks(inode: number, links: number, now: number): void {
    this.#change(
      inode,
      "UPDATE inode SET links = CASE links WHEN 0 THEN 0 ELSE links + ? END, changed_at = ? WHERE id = ?",
      ...[links, now, inode],
    );
  }

  /** A directory's entries have changed. */
  touch(directory: number, now: number): void {
    this.update(directory, { modified_at: now, changed_at: now });
  }

  setContent(
    { inode, content, size, mode }: Pick<Inode, "inode" | "content" | "size" | "mode">,
    now: number,
  ): void {
    this.update(inode, { content, size, mode, modified_at: now, changed_at: now });
  }

  /** Sets columns of one file. With no links it is an orphan: its row stays until what it holds has been removed. */
  update(inode: number, columns: Partial<Record<ChangingColumn, number>>): void {
    const assignments = Object.keys(columns).map((column) => `${column} = ?`);
    const query = `UPDATE inode SET ${assignments.join(", ")} WHERE id = ?`;
    this.#change(inode, query, ...Object.values(columns), inode);
  }

  /** Files, or directories, that nobody can reach any more. */
  orphans(type: FileType): Inode[] {
    return this.#sql
      .exec<Inode>(
        `SELECT ${COLUMNS} FROM inode INDEXED BY inode_orphan WHERE links = 0 AND type = ? ORDER BY id`,
        type,
      )
      .toArray();
  }
}
