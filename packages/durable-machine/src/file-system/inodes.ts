import type { Sql } from "./sql.ts";

export const ROOT_INODE = 1;

export type FileType = "file" | "directory" | "symlink";

export type FileStatus = {
  inode: number;
  type: FileType;
  /** Permission bits with set-uid, set-gid and sticky: 0 to 0o7777. */
  mode: number;
  uid: number;
  gid: number;
  links: number;
  /** Bytes of content; of a symlink: of its target; of a directory: 4096. */
  size: number;
  /** Milliseconds since the epoch. */
  accessedAt: number;
  modifiedAt: number;
  changedAt: number;
};

export type DirectoryEntry = FileStatus & { name: string };

export type Inode = FileStatus & {
  /** The number under which a file's bytes are stored. */
  content: number;
  target: string;
};

export type NamedInode = Inode & { name: string };

type Attribute = "mode" | "uid" | "gid" | "links" | "size" | "content" | "accessed_at" | "modified_at";

const MAX_CACHED = 8000;

const COLUMNS = `inode.id AS inode, type, mode, uid, gid, links, size, content, target,
  accessed_at AS accessedAt, modified_at AS modifiedAt, changed_at AS changedAt`;

export class Inodes {
  readonly #sql: Sql;
  readonly #now: () => number;
  /** Files and directories by number. Symlinks are not kept, because their targets can be long. */
  readonly #cached = new Map<number, Inode>();
  /** Their numbers by {@link keyOf}. */
  readonly #names = new Map<string, number>();
  #isChanging = false;

  constructor(sql: Sql, now: () => number) {
    this.#sql = sql;
    this.#now = now;
  }

  get(inode: number): Inode | undefined {
    const cached = this.#cached.get(inode);
    if (cached !== undefined) return cached;
    const [found] = this.#sql.exec<Inode>(`SELECT ${COLUMNS} FROM inode WHERE id = ?`, inode).toArray();
    if (found !== undefined) this.#remember(found);
    return found;
  }

  lookUp(directory: number, name: string): Inode | undefined {
    const key = keyOf(directory, name);
    const known = this.#names.get(key);
    if (known !== undefined) return this.get(known);
    const query = `SELECT ${COLUMNS} FROM inode
      WHERE id = (SELECT inode FROM directory_entry WHERE directory = ? AND name = ?)`;
    const [found] = this.#sql.exec<Inode>(query, directory, name).toArray();
    if (found !== undefined) this.#remember(found, key);
    return found;
  }

  /** Until then nothing is kept that is read after a change, because the change may be undone. */
  endTransaction(): void {
    this.#isChanging = false;
  }

  /** They must not be modified. */
  entries(directory: number): NamedInode[] {
    const query = `SELECT entry.name, ${COLUMNS}
      FROM directory_entry AS entry JOIN inode ON inode.id = entry.inode
      WHERE entry.directory = ? ORDER BY entry.name`;
    const found = this.#sql.exec<NamedInode>(query, directory).toArray();
    if (this.#names.size + found.length > MAX_CACHED) this.#clear();
    for (const entry of found.slice(0, MAX_CACHED)) this.#remember(entry, keyOf(directory, entry.name));
    return found;
  }

  entriesAfter(directory: number, name: string, limit: number): NamedInode[] {
    const query = `SELECT entry.name, ${COLUMNS}
      FROM directory_entry AS entry JOIN inode ON inode.id = entry.inode
      WHERE entry.directory = ? AND entry.name > ? ORDER BY entry.name LIMIT ?`;
    return this.#sql.exec<NamedInode>(query, directory, name, limit).toArray();
  }

  isEmpty(directory: number): boolean {
    const query = "SELECT 1 FROM directory_entry WHERE directory = ? LIMIT 1";
    return this.#sql.exec(query, directory).toArray().length === 0;
  }

  insert(file: Omit<Inode, "accessedAt" | "modifiedAt" | "changedAt">): Inode {
    const { inode, type, mode, uid, gid, links, size, content, target } = file;
    this.#forget(inode);
    const now = this.#now();
    this.#sql.exec(
      `INSERT INTO inode (id, type, mode, uid, gid, links, size, content, target,
        accessed_at, modified_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[inode, type, mode, uid, gid, links, size, content, target, now, now, now],
    );
    return { ...file, accessedAt: now, modifiedAt: now, changedAt: now };
  }

  delete(inode: number): void {
    this.#forget(inode);
    this.#sql.exec("DELETE FROM inode WHERE id = ?", inode);
  }

  addEntry(directory: number, name: string, inode: number): void {
    const query = "INSERT INTO directory_entry (directory, name, inode) VALUES (?, ?, ?)";
    this.#sql.exec(query, directory, name, inode);
    this.update(directory, { modified_at: this.#now() });
  }

  deleteEntry(directory: number, name: string): void {
    this.#names.delete(keyOf(directory, name));
    this.#sql.exec("DELETE FROM directory_entry WHERE directory = ? AND name = ?", directory, name);
    this.update(directory, { modified_at: this.#now() });
  }

  /** An inode without links stays an orphan. */
  addLinks(inode: number, links: number): void {
    this.#forget(inode);
    const query = `UPDATE inode SET links = CASE links WHEN 0 THEN 0 ELSE links + ? END, changed_at = ?
      WHERE id = ?`;
    this.#sql.exec(query, links, this.#now(), inode);
  }

  setContent({ inode, content, size, mode }: Inode): void {
    this.update(inode, { content, size, mode, modified_at: this.#now() });
  }

  update(inode: number, attributes: Partial<Record<Attribute, number>>): void {
    this.#forget(inode);
    const assignments = Object.keys(attributes).map((column) => `${column} = ?, `);
    const query = `UPDATE inode SET ${assignments.join("")}changed_at = ? WHERE id = ?`;
    this.#sql.exec(query, ...Object.values(attributes), this.#now(), inode);
  }

  orphans(): Inode[] {
    const query = `SELECT ${COLUMNS} FROM inode INDEXED BY inode_orphan WHERE links = 0 ORDER BY id`;
    return this.#sql.exec<Inode>(query).toArray();
  }

  #remember(found: Inode, key?: string): void {
    if (this.#isChanging || found.type === "symlink") return;
    if (this.#names.size >= MAX_CACHED || this.#cached.size >= MAX_CACHED) this.#clear();
    this.#cached.set(found.inode, found);
    if (key !== undefined) this.#names.set(key, found.inode);
  }

  #forget(inode: number): void {
    this.#isChanging = true;
    this.#cached.delete(inode);
  }

  #clear(): void {
    this.#cached.clear();
    this.#names.clear();
  }
}

function keyOf(directory: number, name: string): string {
  return `${directory}/${name}`;
}
