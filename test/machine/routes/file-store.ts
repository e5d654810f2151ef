import type { Tree } from "../../../packages/durable-machine/test/contract/outcome.ts";

/** What a file or directory is told to be. The time only where it is years ago: else it is that of the test. */
export interface FileRecord {
  name: string;
  path: string;
  isDirectory: boolean;
  mode: string;
  size: number;
  modifiedAt?: number;
}

/** An entry of a zip. A directory's path ends in a slash. */
export interface ZipEntry {
  path: string;
  mode: number;
  content: string;
}

/** The file endpoints, and whatever can stand for them: what they answer, paths being relative to one directory. */
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
  /** Makes what the endpoints cannot, such as links, by a shell. */
  shell(script: string): Promise<Answer>;
}

/** Status of HTTP, and what came with it. */
export interface Answer {
  status: number;
  value?: string | FileRecord | FileRecord[] | Tree;
}

/** One call. */
export type FileStep = (files: FileStore) => Promise<Answer>;

/** Times before this one are a case's own. */
export const NOT_RECENT = Date.UTC(2025, 0, 1);
