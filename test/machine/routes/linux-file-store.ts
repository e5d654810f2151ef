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
import { LINUX_ENVIRONMENT, readTree } from "../../../packages/durable-machine/test/contract/linux.ts";
import { describeMode } from "../../../packages/durable-machine/test/contract/mode.ts";
import { describeOutput } from "../../../packages/durable-machine/test/contract/outcome.ts";
import { PREPARED_AT } from "../../../packages/durable-machine/test/contract/prepared-files.ts";
import { type Answer, type FileRecord, type FileStore, NOT_RECENT, type ZipEntry } from "./file-store.ts";

/** What the API answers where Linux gives an error; 400 where it gives any other. */
const STATUSES: Record<string, number> = { ENOENT: 404, EEXIST: 409, ENOTEMPTY: 409 };

/** A refusal of the API's own, of what Linux would do. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`refused with ${status}`);
    this.status = status;
  }
}

/** What the file endpoints answer, done by the system calls that they stand for. */
export class LinuxFileStore implements FileStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  createDirectory(path: string, mode?: string): Promise<Answer> {
    return answer(201, () => {
      this.#makeDirectory(path, "755");
      if (mode !== undefined) chmodSync(this.#at(path), Number.parseInt(mode, 8));
    });
  }

  writeFile(path: string, content: string, mode?: string): Promise<Answer> {
    return answer(201, () => {
      this.#write(path, content, 0o644);
      if (mode !== undefined) chmodSync(this.#at(path), Number.parseInt(mode, 8));
    });
  }

  readFile(path: string): Promise<Answer> {
    return answer(200, () => readFileSync(this.#at(path)).toString());
  }

  listFiles(path: string): Promise<Answer> {
    return answer(200, () =>
      readdirSync(this.#at(path))
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .map((name) => toRecord(`${this.#at(path)}/${name}`, lstatSync(`${this.#at(path)}/${name}`))),
    );
  }

  fileInfo(path: string): Promise<Answer> {
    return answer(200, () => toRecord(this.#at(path), statSync(this.#at(path))));
  }

  move(source: string, destination: string): Promise<Answer> {
    return answer(200, () => {
      if (isDirectory(this.#at(destination))) throw new Refusal(409);
      renameSync(this.#at(source), this.#at(destination));
    });
  }

  deleteFile(path: string): Promise<Answer> {
    return answer(200, () => {
      unlinkSync(this.#at(path));
    });
  }

  deleteDirectory(path: string): Promise<Answer> {
    return answer(200, () => {
      if (!lstatSync(this.#at(path)).isDirectory()) throw new Refusal(400);
      spawnSync("chmod", ["-R", "u+rwx", this.#at(path)]);
      rmSync(this.#at(path), { recursive: true });
    });
  }

  setPermissions(path: string, mode: string): Promise<Answer> {
    return answer(200, () => {
      chmodSync(this.#at(path), Number.parseInt(mode, 8));
    });
  }

  upload(files: Record<string, string>): Promise<Answer> {
    return answer(201, () => {
      for (const [path, content] of Object.entries(files)) this.#write(path, content, 0o644);
    });
  }

  uploadZip(destination: string, entries: ZipEntry[]): Promise<Answer> {
    return answer(201, () => {
      const isOutside = ({ path }: ZipEntry) => path.startsWith("/") || normalize(path).startsWith("..");
      if (entries.some(isOutside)) throw new Refusal(400);
      this.#makeDirectory(destination, "755");
      for (const { path, content, mode } of entries) {
        const place = `${destination}/${path}`;
        if (path.endsWith("/")) this.#makeDirectory(place, "755");
        else this.#write(place, content, mode);
        chmodSync(this.#at(place), mode);
      }
      for (const { path } of entries) {
        utimesSync(this.#at(`${destination}/${path}`), PREPARED_AT / 1000, PREPARED_AT / 1000);
      }
    });
  }

  downloadZip(path: string): Promise<Answer> {
    return answer(200, () => {
      if (!statSync(this.#at(path)).isDirectory()) throw new Refusal(400);
      return readTree(this.#at(path));
    });
  }

  async shell(script: string): Promise<Answer> {
    const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
      cwd: this.#directory,
      env: LINUX_ENVIRONMENT,
    });
    return { status: 200, value: `${status} ${describeOutput(stdout)}${describeOutput(stderr)}` };
  }

  #at(path: string): string {
    return `${this.#directory}/${path}`;
  }

  /** As `mkdir -p` does it: Node's own gives other errors where a file is in the way. */
  #makeDirectory(path: string, mode = "777"): void {
    const place = this.#at(path).replace(/\/+$/, "");
    if (isDirectory(place)) return;
    try {
      mkdirSync(place, Number.parseInt(mode, 8));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      this.#makeDirectory(dirname(path));
      if (!isDirectory(place)) mkdirSync(place, Number.parseInt(mode, 8));
    }
  }

  #write(path: string, content: string, mode: number): void {
    this.#makeDirectory(dirname(path));
    writeFileSync(this.#at(path), content, { mode });
  }
}

async function answer(status: number, work: () => Answer["value"]): Promise<Answer> {
  try {
    const value = work();
    return value === undefined ? { status } : { status, value };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status };
    const code = codeOf(error);
    if (code === undefined) throw error;
    return { status: STATUSES[code] ?? 400 };
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function isDirectory(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
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
