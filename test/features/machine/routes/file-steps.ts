import type { FileStep, ZipEntry } from "./file-store.ts";

/** Steps of the cases for the file endpoints, each of which is one request. */

export function createDirectory(path: string, mode?: string): FileStep {
  return (files) => files.createDirectory(path, mode);
}

export function write(path: string, content: string, mode?: string): FileStep {
  return (files) => files.writeFile(path, content, mode);
}

export function read(path: string): FileStep {
  return (files) => files.readFile(path);
}

export function list(path: string): FileStep {
  return (files) => files.listFiles(path);
}

export function info(path: string): FileStep {
  return (files) => files.fileInfo(path);
}

export function move(source: string, destination: string): FileStep {
  return (files) => files.move(source, destination);
}

export function deleteFile(path: string): FileStep {
  return (files) => files.deleteFile(path);
}

export function deleteDirectory(path: string): FileStep {
  return (files) => files.deleteDirectory(path);
}

export function permit(path: string, mode: string): FileStep {
  return (files) => files.setPermissions(path, mode);
}

export function upload(contents: Record<string, string>): FileStep {
  return (files) => files.upload(contents);
}

export function unzip(path: string, ...entries: ZipEntry[]): FileStep {
  return (files) => files.uploadZip(path, entries);
}

export function zip(path: string): FileStep {
  return (files) => files.downloadZip(path);
}

export function shell(script: string): FileStep {
  return (files) => files.shell(script);
}

export function entry(path: string, content = "", mode = path.endsWith("/") ? 0o755 : 0o644): ZipEntry {
  return { path, content, mode };
}
