import Kernel, { toFile } from "@onkernel/sdk";
import type { APIPromise } from "@onkernel/sdk/core/api-promise";
import type { FFileInfoResponse } from "@onkernel/sdk/resources/browsers/fs/fs";
import { describeOutput } from "../../../../packages/durable-machine/test/contract/outcome.ts";
import { buildZip } from "../../../lib/archives/zip-builder.ts";
import {
  type FileRecord,
  type FileStore,
  NOT_RECENT,
  type TestResponse,
  type ZipEntry,
} from "./file-store.ts";
import { readZippedTree, type SessionRunner } from "./session-runner.ts";

export class MachineFileStore implements FileStore {
  readonly #kernel: Kernel;
  readonly #machine: SessionRunner;
  readonly #directory: string;

  constructor(kernel: Kernel, machine: SessionRunner, directory: string) {
    this.#kernel = kernel;
    this.#machine = machine;
    this.#directory = directory;
  }

  createDirectory(path: string, mode?: string): Promise<TestResponse> {
    return answer(this.#files.createDirectory(this.#id, { path: this.#pathOf(path), mode }));
  }

  writeFile(path: string, content: string, mode?: string): Promise<TestResponse> {
    return answer(this.#files.writeFile(this.#id, Buffer.from(content), { path: this.#pathOf(path), mode }));
  }

  readFile(path: string): Promise<TestResponse> {
    return answer(this.#files.readFile(this.#id, { path: this.#pathOf(path) }), (file) => file.text());
  }

  listFiles(path: string): Promise<TestResponse> {
    return answer(this.#files.listFiles(this.#id, { path: this.#pathOf(path) }), (files) =>
      files.map(toRecord),
    );
  }

  fileInfo(path: string): Promise<TestResponse> {
    return answer(this.#files.fileInfo(this.#id, { path: this.#pathOf(path) }), toRecord);
  }

  move(source: string, destination: string): Promise<TestResponse> {
    const paths = { src_path: this.#pathOf(source), dest_path: this.#pathOf(destination) };
    return answer(this.#files.move(this.#id, paths));
  }

  deleteFile(path: string): Promise<TestResponse> {
    return answer(this.#files.deleteFile(this.#id, { path: this.#pathOf(path) }));
  }

  deleteDirectory(path: string): Promise<TestResponse> {
    return answer(this.#files.deleteDirectory(this.#id, { path: this.#pathOf(path) }));
  }

  setPermissions(path: string, mode: string): Promise<TestResponse> {
    return answer(this.#files.setFilePermissions(this.#id, { path: this.#pathOf(path), mode }));
  }

  async upload(contents: Record<string, string>): Promise<TestResponse> {
    const files = Object.entries(contents).map(async ([path, content]) => ({
      file: await toFile(Buffer.from(content), "file"),
      dest_path: this.#pathOf(path),
    }));
    return answer(this.#files.upload(this.#id, { files: await Promise.all(files) }));
  }

  async uploadZip(path: string, entries: ZipEntry[]): Promise<TestResponse> {
    const zip = buildZip(
      entries.map(({ path, mode, content }) => ({
        name: path,
        content,
        mode: (path.endsWith("/") ? 0o040000 : 0o100000) | mode,
      })),
    );
    const upload = { dest_path: this.#pathOf(path), zip_file: await toFile(zip, "upload.zip") };
    return answer(this.#files.uploadZip(this.#id, upload));
  }

  async downloadZip(path: string): Promise<TestResponse> {
    return answer(this.#files.downloadDirZip(this.#id, { path: this.#pathOf(path) }), async (file) =>
      readZippedTree(Buffer.from(await file.arrayBuffer())),
    );
  }

  async shell(script: string): Promise<TestResponse> {
    const { exitCode, stdout, stderr } = await this.#machine.exec("bash", ["-c", script], {
      cwd: this.#directory,
    });
    return { status: 200, value: `${exitCode} ${describeOutput(stdout)}${describeOutput(stderr)}` };
  }

  #pathOf(path: string): string {
    return `${this.#directory}/${path}`;
  }

  get #id(): string {
    return this.#machine.sessionId;
  }

  get #files() {
    return this.#kernel.browsers.fs;
  }
}

async function answer<T>(
  call: APIPromise<T>,
  read?: (data: T) => TestResponse["value"] | Promise<TestResponse["value"]>,
): Promise<TestResponse> {
  try {
    const { data, response } = await call.withResponse();
    const { status } = response;
    return read === undefined ? { status } : { status, value: await read(data) };
  } catch (error) {
    if (error instanceof Kernel.APIError && error.status !== undefined) return { status: error.status };
    throw error;
  }
}

function toRecord({ name, path, is_dir, mode, size_bytes, mod_time }: FFileInfoResponse): FileRecord {
  const record = { name, path, isDirectory: is_dir, mode, size: size_bytes };
  const modifiedAt = Date.parse(mod_time);
  return modifiedAt < NOT_RECENT ? { ...record, modifiedAt } : record;
}
