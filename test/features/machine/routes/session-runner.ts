import type Kernel from "@onkernel/sdk";
import { toFile } from "@onkernel/sdk";
import { IS_ROOT } from "../../../../packages/durable-machine/test/contract/linux.ts";
import { describeMode, isFile, isSymlink } from "../../../../packages/durable-machine/test/contract/mode.ts";
import {
  describeBytes,
  type Tree,
  type TreeEntry,
} from "../../../../packages/durable-machine/test/contract/outcome.ts";
import type { PreparedTree } from "../../../../packages/durable-machine/test/contract/prepared-files.ts";
import { buildZip } from "../../../lib/archives/zip-builder.ts";
import { readZip } from "./zip.ts";

const TIMEOUT_SECONDS = 30;

interface Execution {
  exitCode: number;
  stdout: Buffer;
  stderr: Buffer;
}

export class SessionRunner {
  readonly sessionId: string;
  readonly #kernel: Kernel;

  constructor({ kernel, sessionId }: { kernel: Kernel; sessionId: string }) {
    this.#kernel = kernel;
    this.sessionId = sessionId;
  }

  async prepare(directory: string, tree: PreparedTree): Promise<void> {
    const entries = Object.entries(tree).map(([name, content]) => ({ name, content }));
    const zip = await toFile(buildZip(entries), "prepared.zip");
    await this.#files.uploadZip(this.sessionId, { dest_path: directory, zip_file: zip });
    // The file endpoints create files of root.
    if (IS_ROOT) return;
    await this.#kernel.browsers.process.exec(this.sessionId, {
      command: "chown",
      args: ["-R", "kernel:kernel", directory],
      as_root: true,
    });
  }

  /** Runs a program as root if the tests run as root, otherwise as the ordinary user. */
  async exec(
    command: string,
    args: string[],
    options: { cwd?: string; env?: Record<string, string> } = {},
  ): Promise<Execution> {
    const result = await this.#kernel.browsers.process.exec(this.sessionId, {
      command,
      args,
      as_root: IS_ROOT,
      timeout_sec: TIMEOUT_SECONDS,
      ...options,
    });
    return {
      exitCode: result.exit_code ?? Number.NaN,
      stdout: Buffer.from(result.stdout_b64 ?? "", "base64"),
      stderr: Buffer.from(result.stderr_b64 ?? "", "base64"),
    };
  }

  async readTree(root: string): Promise<Tree> {
    const response = await this.#files.downloadDirZip(this.sessionId, { path: root });
    return readZippedTree(Buffer.from(await response.arrayBuffer()));
  }

  get #files() {
    return this.#kernel.browsers.fs;
  }
}

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
