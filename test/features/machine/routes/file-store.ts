import type { Tree } from "../../../../packages/durable-machine/test/contract/outcome.ts";

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
  createDirectory(path: string, mode?: string): Promise<TestResponse>;
  writeFile(path: string, content: string, mode?: string): Promise<TestResponse>;
  readFile(path: string): Promise<TestResponse>;
  listFiles(path: string): Promise<TestResponse>;
  fileInfo(path: string): Promise<TestResponse>;
  move(source: string, destination: string): Promise<TestResponse>;
  deleteFile(path: string): Promise<TestResponse>;
  deleteDirectory(path: string): Promise<TestResponse>;
  setPermissions(path: string, mode: string): Promise<TestResponse>;
  upload(files: Record<string, string>): Promise<TestResponse>;
  uploadZip(path: string, entries: ZipEntry[]): Promise<TestResponse>;
  downloadZip(path: string): Promise<TestResponse>;
  /** Runs a script, for example to create links, which the endpoints cannot. */
  shell(script: string): Promise<TestResponse>;
}

export interface TestResponse {
  status: number;
  value?: string | FileRecord | FileRecord[] | Tree;
}

export type FileStep = (files: FileStore) => Promise<TestResponse>;

/** Cases set times before this one only. */
export const NOT_RECENT = Date.UTC(2025, 0, 1);
