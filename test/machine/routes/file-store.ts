import type { Tree } from "../../../packages/durable-machine/test/contract/outcome.ts";

/** A description of a file. The time is present only if a case has set it. */
export interface FileRecord {
  name: string;
  path: string;
  isDirectory: boolean;
  mode: string;
  size: number;
  modifiedAt?: number;
}

/** An entry of a zip. The path of a directory ends with a slash. */
export interface ZipEntry {
  path: string;
  mode: number;
  content: string;
}

/** The file endpoints or a substitute for them. Paths are relative to one directory. */
export interface FileStore {
  createDirectory(path: string, mode?: string): Promise<Answer>;
  writeFile(path: string, content: string, mode?: string): Promise<Answer>;
  readFile(path: string): Promise<Answer>;
  listFiles(path: string): Promise<Answer>;
  fileInfo(path: string): Promise<Answer>;
  move(source: string, destination: string): Promise<Answer>;
  deleteFile(path: string): Promise<Answer>;
  deleteDirectory(path: string): Promise<Answer>;
  setPermissions(path: string, mode: string): Promise<Answer>;
  upload(files: Record<string, string>): Promise<Answer>;
  uploadZip(path: string, entries: ZipEntry[]): Promise<Answer>;
  downloadZip(path: string): Promise<Answer>;
  /** Runs a script, for example to create links, which the endpoints cannot. */
  shell(script: string): Promise<Answer>;
}

export interface Answer {
  status: number;
  value?: string | FileRecord | FileRecord[] | Tree;
}

export type FileStep = (files: FileStore) => Promise<Answer>;

/** Cases set times before this one only. */
export const NOT_RECENT = Date.UTC(2025, 0, 1);
