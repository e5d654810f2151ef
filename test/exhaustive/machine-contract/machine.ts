import type Kernel from "@onkernel/sdk";
import { toFile } from "@onkernel/sdk";
import { buildZip } from "../../archives/zip-builder.ts";
import type { ContractCase } from "./case.ts";
import { IS_ROOT } from "./linux.ts";
import { describeMode, isFile, isSymlink } from "./mode.ts";
import { describeBytes, describeOutput, type Outcome, type Tree, type TreeEntry } from "./outcome.ts";
import type { PreparedTree } from "./prepared-files.ts";
import { readZip } from "./zip.ts";

const PATIENCE_SECONDS = 30;

interface Execution {
  exitCode: number;
  stdout: Buffer;
  stderr: Buffer;
}

/** A session's machine, driven through the SDK. */
export class MachineSide implements AsyncDisposable {
  readonly sessionId: string;
  readonly #kernel: Kernel;

  private constructor(kernel: Kernel, sessionId: string) {
    this.#kernel = kernel;
    this.sessionId = sessionId;
  }

  static async open(kernel: Kernel): Promise<MachineSide> {
    const { session_id: sessionId } = await kernel.browsers.create({ timeout_seconds: 600 });
    return new MachineSide(kernel, sessionId);
  }

  /** Makes a directory of what is prepared. */
  async prepare(directory: string, tree: PreparedTree): Promise<void> {
    const entries = Object.entries(tree).map(([name, content]) => ({ name, content }));
    const zip = await toFile(buildZip(entries), "prepared.zip");
    await this.#files.uploadZip(this.sessionId, { dest_path: directory, zip_file: zip });
    // What the file endpoints make is root's.
    if (IS_ROOT) return;
    await this.#kernel.browsers.process.exec(this.sessionId, {
      command: "chown",
      args: ["-R", "kernel:kernel", directory],
      as_root: true,
    });
  }

  /** @param directory prepared for it. */
  async run(contractCase: ContractCase, directory: string): Promise<Outcome> {
    const [command, ...args] = contractCase.argv;
    const { exitCode, stdout, stderr } = await this.exec(command, args, {
      cwd: directory,
      env: contractCase.environment,
    });
    return {
      stdout: describeOutput(stdout),
      stderr: describeOutput(stderr),
      exitCode,
      tree: await this.readTree(directory, contractCase.comparesLinks),
    };
  }

  /** Runs a program as whoever these tests are on Linux: root, or somebody without rights of root's. */
  async exec(
    command: string,
    args: string[],
    options: { cwd?: string; env?: Record<string, string> } = {},
  ): Promise<Execution> {
    const result = await this.#kernel.browsers.process.exec(this.sessionId, {
      command,
      args,
      as_root: IS_ROOT,
      timeout_sec: PATIENCE_SECONDS,
      ...options,
    });
    return {
      exitCode: result.exit_code ?? Number.NaN,
      stdout: Buffer.from(result.stdout_b64 ?? "", "base64"),
      stderr: Buffer.from(result.stderr_b64 ?? "", "base64"),
    };
  }

  /** All that is below a directory. */
  async readTree(root: string, withLinks = false): Promise<Tree> {
    const response = await this.#files.downloadDirZip(this.sessionId, { path: root });
    const tree = readZippedTree(Buffer.from(await response.arrayBuffer()));
    if (!withLinks) return tree;
    for (const [path, entry] of Object.entries(tree)) {
      if (entry.content !== undefined) entry.links = await this.#countLinks(`${root}/${path}`);
    }
    return tree;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kernel.browsers.deleteByID(this.sessionId);
  }

  get #files() {
    return this.#kernel.browsers.fs;
  }

  async #countLinks(path: string): Promise<number> {
    return Number((await this.exec("stat", ["-c", "%h", path])).stdout);
  }
}

/** What a zip of a directory says that is in it. */
export function readZippedTree(zip: Buffer): Tree {
  return Object.fromEntries(
    readZip(zip).map(({ path, mode, content }) => [path, toTreeEntry(mode, content)]),
  );
}

function toTreeEntry(status: number, content: Buffer): TreeEntry {
  const mode = describeMode(status);
  if (isSymlink(status)) return { mode, target: content.toString() };
  return isFile(status) ? { mode, content: describeBytes(content) } : { mode };
}
