import { buffer } from "node:stream/consumers";
import {
  DurableMachine,
  type Machine,
  type MachineProcess,
  type ProcessEnd,
  type ProcessListeners,
  type ProcessRequest,
  ROOT_USER,
  StartError,
  type User,
} from "../../src/index.ts";
import { IDENTITY, KERNEL_USER, onError } from "../identity.ts";
import { Storage } from "../storage.ts";
import type { ContractCase } from "./case.ts";
import { IS_ROOT } from "./linux.ts";
import { describeMode } from "./mode.ts";
import { describeBytes, describeOutput, type Outcome, type Tree, type TreeEntry } from "./outcome.ts";
import { PREPARED_AT, type PreparedTree } from "./prepared-files.ts";

const TIMEOUT_MS = 30_000;

const MEBIBYTE = 2 ** 20;

const TYPE_BITS = { file: 0o100000, directory: 0o040000, symlink: 0o120000 };

/** Runs cases on a machine, as root if the tests run as root, otherwise as the ordinary user. */
export class MachineRunner implements AsyncDisposable {
  readonly #user: User = IS_ROOT ? ROOT_USER : KERNEL_USER;
  readonly #storage = new Storage();
  readonly #machine: Machine;

  /** @param machine default: one in the memory of this process. */
  constructor(machine?: Machine) {
    this.#machine =
      machine ??
      new DurableMachine({
        storage: this.#storage,
        identity: IDENTITY,
        limits: { fileQuotaBytes: 1024 * MEBIBYTE, processOutputBytes: 16 * MEBIBYTE, processes: 64 },
        fetch: () => Promise.reject(new Error("no network in tests")),
        onError,
      });
  }

  async prepare(directory: string, tree: PreparedTree): Promise<void> {
    const { files } = this.#machine;
    await this.#machine.open();
    await files.makeDirectory(directory, { parents: true });
    for (const [path, content] of Object.entries(tree)) {
      const target = `${directory}/${path}`;
      if (path.endsWith("/")) await files.makeDirectory(target, { parents: true });
      else await files.write(target, new Blob([new Uint8Array(Buffer.from(content))]).stream());
      await files.changeOwner(target, this.#user);
    }
    // After their contents, which change the times of directories.
    for (const path of Object.keys(tree).reverse()) {
      await files.setTimes(`${directory}/${path}`, { accessedAt: PREPARED_AT, modifiedAt: PREPARED_AT });
    }
  }

  async run({ argv, environment, comparesLinks }: ContractCase, directory: string): Promise<Outcome> {
    const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    const end = await this.#execute({ argv, environment, directory }, (stream, bytes) => {
      output[stream].push(bytes.slice());
    });
    return {
      stdout: describeOutput(Buffer.concat(output.stdout)),
      stderr: describeOutput(Buffer.concat(output.stderr)),
      exitCode: end.by === "signal" ? -1 : end.code,
      tree: await this.#readTree(directory, comparesLinks),
    };
  }

  async #execute(
    request: Pick<ProcessRequest, "argv" | "environment" | "directory">,
    onOutput: ProcessListeners["onOutput"],
  ): Promise<ProcessEnd> {
    let process: MachineProcess;
    try {
      process = await this.#machine.processes.start(
        { ...request, user: this.#user, takesInput: false },
        { onOutput },
      );
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      throw new Error(`${request.argv[0]} did not start: ${error.message}`, { cause: error });
    }
    const timer = setTimeout(() => void process.kill("KILL"), TIMEOUT_MS);
    const end = await process.ended;
    clearTimeout(timer);
    return end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#machine.close();
    this.#storage[Symbol.dispose]();
  }

  async #readTree(root: string, withLinks: boolean): Promise<Tree> {
    const { files } = this.#machine;
    const tree: Tree = {};
    const visit = async (path: string) => {
      for (const status of await files.list(`${root}/${path}`)) {
        const child = `${path}${status.name}`;
        const entry: TreeEntry = { mode: describeMode(TYPE_BITS[status.type] | status.mode) };
        if (status.type === "symlink") entry.target = await files.readSymlink(`${root}/${child}`);
        if (status.type === "file") {
          const { body } = await files.read(`${root}/${child}`);
          entry.content = describeBytes(await buffer(body));
          if (withLinks) entry.links = status.links;
        }
        tree[child] = entry;
        if (status.type === "directory") await visit(`${child}/`);
      }
    };
    await visit("");
    return tree;
  }
}
