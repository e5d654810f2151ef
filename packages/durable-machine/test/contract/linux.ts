import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { Socket } from "node:net";
import { join, relative } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import type { ContractCase } from "./case.ts";
import { describeMode } from "./mode.ts";
import { describeBytes, describeOutput, type Outcome, type Tree, type TreeEntry } from "./outcome.ts";
import { PREPARED_AT, type PreparedTree } from "./prepared-files.ts";

const makePipe = promisify(execFile);

const TIMEOUT_MS = 30_000;

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export const IS_ROOT = process.getuid?.() === 0;

/** The environment of programs, as on the machine. */
export const LINUX_ENVIRONMENT: Record<string, string> = {
  PATH,
  HOME: IS_ROOT ? "/root" : "/home/kernel",
  LANG: "C.UTF-8",
  TZ: "UTC",
};

export function hasProgram(name: string): boolean {
  return PATH.split(":").some((directory) => existsSync(join(directory, name)));
}

/** Runs cases on the host's Linux in a new directory, which the machine has under the same path. */
export class LinuxRunner implements Disposable {
  /** Absolute, and in /tmp even if TMPDIR is set, because the machine uses /tmp. */
  readonly directory = mkdtempSync("/tmp/contract-");
  readonly #umask = process.umask(0o022);

  prepare(tree: PreparedTree): void {
    for (const [path, content] of Object.entries(tree)) {
      const target = join(this.directory, path);
      if (path.endsWith("/")) mkdirSync(target);
      else writeFileSync(target, content);
    }
    // After their contents, which change the times of directories.
    for (const path of Object.keys(tree).reverse()) {
      utimesSync(join(this.directory, path), PREPARED_AT / 1000, PREPARED_AT / 1000);
    }
  }

  async run(contractCase: ContractCase, directory: string): Promise<Outcome> {
    const [stdout, stderr] = await Promise.all([
      Pipe.make(`${directory}.out`),
      Pipe.make(`${directory}.err`),
    ]);
    const [program, ...rest] = contractCase.argv;
    const child = spawn(program, rest, {
      cwd: directory,
      env: { ...LINUX_ENVIRONMENT, ...contractCase.environment },
      stdio: ["ignore", stdout.writeEnd, stderr.writeEnd],
      timeout: TIMEOUT_MS,
    });
    stdout.closeWriteEnd();
    stderr.closeWriteEnd();
    const [[exitCode]] = await Promise.all([once(child, "exit"), stdout.content, stderr.content]);
    return {
      stdout: describeOutput(await stdout.content),
      stderr: describeOutput(await stderr.content),
      exitCode: typeof exitCode === "number" ? exitCode : -1,
      tree: readTree(directory, contractCase.comparesLinks),
    };
  }

  [Symbol.dispose](): void {
    process.umask(this.#umask);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** A pipe for a child's output. Node's own pipes are sockets, which programs cannot open by `/dev/stdout`. */
class Pipe {
  readonly writeEnd: number;
  /** Resolves when every writer has closed the pipe. */
  readonly content: Promise<Buffer>;

  private constructor(path: string) {
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    this.writeEnd = openSync(path, constants.O_WRONLY);
    this.content = buffer(new Socket({ fd: readEnd, writable: false }));
    rmSync(path);
  }

  /** @param path temporary name while opening. */
  static async make(path: string): Promise<Pipe> {
    await makePipe("mkfifo", [path]);
    return new Pipe(path);
  }

  /** Called once the child has the write end. */
  closeWriteEnd(): void {
    closeSync(this.writeEnd);
  }
}

/** Reads all files below a directory. Makes unreadable ones readable first. */
export function readTree(root: string, withLinks = false): Tree {
  const tree: Tree = {};
  const visit = (directory: string) => {
    makeReadable(directory, constants.R_OK | constants.X_OK);
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      const status = lstatSync(path);
      tree[relative(root, path)] = readEntry(path, status, withLinks);
      if (status.isDirectory()) visit(path);
    }
  };
  visit(root);
  return tree;
}

function readEntry(path: string, status: Stats, withLinks: boolean): TreeEntry {
  const mode = describeMode(status.mode);
  if (status.isSymbolicLink()) return { mode, target: readlinkSync(path) };
  if (!status.isFile()) return { mode };
  makeReadable(path, constants.R_OK);
  const entry = { mode, content: describeBytes(readFileSync(path)) };
  return withLinks ? { ...entry, links: status.nlink } : entry;
}

function makeReadable(path: string, rights: number): void {
  try {
    accessSync(path, rights);
  } catch {
    chmodSync(path, 0o700);
  }
}
