import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, normalize } from "node:path";
import { LINUX_ENVIRONMENT, readTree } from "../../../../packages/durable-machine/test/contract/linux.ts";
import { describeMode } from "../../../../packages/durable-machine/test/contract/mode.ts";
import { describeOutput } from "../../../../packages/durable-machine/test/contract/outcome.ts";
import { PREPARED_AT } from "../../../../packages/durable-machine/test/contract/prepared-files.ts";
import {
  type FileRecord,
  type FileStore,
  NOT_RECENT,
  type TestResponse,
  type ZipEntry,
} from "./file-store.ts";

/** HTTP statuses of system errors; all others are 400. */
const STATUSES: Record<string, number> = { ENOENT: 404, EEXIST: 409, ENOTEMPTY: 409 };

/** An error of the API where Linux would succeed. */
class APIError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`HTTP status ${status}`);
    this.status = status;
  }
}

/** The expected behavior of the file endpoints, implemented with system calls. */
export class LinuxFileStore implements FileStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  createDirectory(path: string, mode?: string): Promise<TestResponse> {
    return answer(201, () => {
      this.#makeDirectory(path, "755");
      if (mode !== undefined) chmodSync(this.#pathOf(path), Number.parseInt(mode, 8));
    });
  }

  writeFile(path: string, content: string, mode?: string): Promise<TestResponse> {
    return answer(201, () => {
      this.#write(path, content, 0o644);
      if (mode !== undefined) chmodSync(this.#pathOf(path), Number.parseInt(mode, 8));
    });
  }

  readFile(path: string): Promise<TestResponse> {
    return answer(200, () => readFileSync(this.#pathOf(path)).toString());
  }

  listFiles(path: string): Promise<TestResponse> {
    return answer(200, () =>
      readdirSync(this.#pathOf(path))
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .map((name) => toRecord(`${this.#pathOf(path)}/${name}`, lstatSync(`${this.#pathOf(path)}/${name}`))),
    );
  }

  fileInfo(path: string): Promise<TestResponse> {
    return answer(200, () => toRecord(this.#pathOf(path), statSync(this.#pathOf(path))));
  }

  move(source: string, destination: string): Promise<TestResponse> {
    return answer(200, () => {
      if (isDirectory(this.#pathOf(destination))) throw new APIError(409);
      renameSync(this.#pathOf(source), this.#pathOf(destination));
    });
  }

  deleteFile(path: string): Promise<TestResponse> {
    return answer(200, () => {
      unlinkSync(this.#pathOf(path));
    });
  }

  deleteDirectory(path: string): Promise<TestResponse> {
    return answer(200, () => {
      if (!lstatSync(this.#pathOf(path)).isDirectory()) throw new APIError(400);
      spawnSync("chmod", ["-R", "u+rwx", this.#pathOf(path)]);
      rmSync(this.#pathOf(path), { recursive: true });
    });
  }

  setPermissions(path: string, mode: string): Promise<TestResponse> {
    return answer(200, () => {
      chmodSync(this.#pathOf(path), Number.parseInt(mode, 8));
    });
  }

  upload(files: Record<string, string>): Promise<TestResponse> {
    return answer(201, () => {
      for (const [path, content] of Object.entries(files)) this.#write(path, content, 0o644);
    });
  }

  uploadZip(destination: string, entries: ZipEntry[]): Promise<TestResponse> {
    return answer(201, () => {
      const isOutside = ({ path }: ZipEntry) => path.startsWith("/") || normalize(path).startsWith("..");
      if (entries.some(isOutside)) throw new APIError(400);
      this.#makeDirectory(destination, "755");
      for (const { path, content, mode } of entries) {
        const target = `${destination}/${path}`;
        if (path.endsWith("/")) this.#makeDirectory(target, "755");
        else this.#write(target, content, mode);
        chmodSync(this.#pathOf(target), mode);
      }
      for (const { path } of entries) {
        utimesSync(this.#pathOf(`${destination}/${path}`), PREPARED_AT / 1000, PREPARED_AT / 1000);
      }
    });
  }

  downloadZip(path: string): Promise<TestResponse> {
    return answer(200, () => {
      if (!statSync(this.#pathOf(path)).isDirectory()) throw new APIError(400);
      return readTree(this.#pathOf(path));
    });
  }

  async shell(script: string): Promise<TestResponse> {
    const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
      cwd: this.#directory,
      env: LINUX_ENVIRONMENT,
    });
    return { status: 200, value: `${status} ${describeOutput(stdout)}${describeOutput(stderr)}` };
  }

  #pathOf(path: string): string {
    return `${this.#directory}/${path}`;
  }

  /** Like `mkdir -p`: Node's recursive mkdir fails with other errors below a file. */
  #makeDirectory(path: string, mode = "777"): void {
    const absolute = this.#pathOf(path).replace(/\/+$/, "");
    if (isDirectory(absolute)) return;
    try {
      mkdirSync(absolute, Number.parseInt(mode, 8));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      this.#makeDirectory(dirname(path));
      if (!isDirectory(absolute)) mkdirSync(absolute, Number.parseInt(mode, 8));
    }
  }

  #write(path: string, content: string, mode: number): void {
    this.#makeDirectory(dirname(path));
    writeFileSync(this.#pathOf(path), content, { mode });
  }
}

async function answer(status: number, work: () => TestResponse["value"]): Promise<TestResponse> {
  try {
    const value = work();
    return value === undefined ? { status } : { status, value };
  } catch (error) {
    if (error instanceof APIError) return { status: error.status };
    const code = codeOf(error);
    if (code === undefined) throw error;
    return { status: STATUSES[code] ?? 400 };
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function toRecord(path: string, status: Stats): FileRecord {
  const record = {
    name: path.replace(/\/+$/, "").split("/").at(-1) ?? "",
    path,
    isDirectory: status.isDirectory(),
    mode: describeMode(status.mode),
    size: status.isDirectory() ? 0 : status.size,
  };
  const modifiedAt = status.mtime.getTime();
  return modifiedAt < NOT_RECENT ? { ...record, modifiedAt } : record;
}
