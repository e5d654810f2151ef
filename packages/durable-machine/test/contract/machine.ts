import { DurableMachine } from "../../src/durable-machine.ts";
import { ROOT, ROOT_USER, type User } from "../../src/users.ts";
import { IDENTITY, KERNEL_USER, onError } from "../identity.ts";
import { Storage } from "../storage.ts";
import type { ContractCase } from "./case.ts";
import { IS_ROOT } from "./linux.ts";
import { describeMode } from "./mode.ts";
import { describeBytes, describeOutput, type Outcome, type Tree, type TreeEntry } from "./outcome.ts";
import { PREPARED_AT, type PreparedTree } from "./prepared-files.ts";

const PATIENCE_MS = 30_000;

const MEBIBYTE = 2 ** 20;

const TYPE_BITS = { file: 0o100000, directory: 0o040000, symlink: 0o120000 };

/** A machine, whose processes run as whoever the tests are on Linux: root, or somebody without rights of root's. */
export class MachineSide implements Disposable {
  readonly #user: User = IS_ROOT ? ROOT_USER : KERNEL_USER;
  readonly #storage = new Storage();
  readonly #machine = new DurableMachine({
    storage: this.#storage,
    identity: IDENTITY,
    limits: { fileQuotaBytes: 1024 * MEBIBYTE, processOutputBytes: 16 * MEBIBYTE, processes: 64 },
    fetch: () => Promise.reject(new Error("no network in tests")),
    onError,
  });

  /** @param directory made, with what is prepared for it. */
  constructor(directory: string, tree: PreparedTree) {
    const { files } = this.#machine;
    this.#machine.open();
    files.makeDirectory(directory, ROOT, { parents: true });
    for (const [path, content] of Object.entries(tree)) {
      const place = `${directory}/${path}`;
      if (path.endsWith("/")) files.makeDirectory(place, ROOT, { parents: true });
      else files.writeAll(place, typeof content === "string" ? Buffer.from(content) : content, ROOT);
      files.changeOwner(place, ROOT, this.#user);
    }
    // What is in a directory changes its time.
    for (const path of Object.keys(tree).reverse()) {
      files.setTimes(`${directory}/${path}`, ROOT, { accessedAt: PREPARED_AT, modifiedAt: PREPARED_AT });
    }
  }

  /** @param directory prepared for it. */
  async run({ argv, environment, comparesLinks }: ContractCase, directory: string): Promise<Outcome> {
    const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    const process = this.#machine.start(
      { argv, directory, environment, user: this.#user, takesInput: false },
      { onOutput: (stream, bytes) => void output[stream].push(bytes.slice()) },
    );
    const timer = setTimeout(() => process.kill("KILL"), PATIENCE_MS);
    const end = await process.ended;
    clearTimeout(timer);
    return {
      stdout: describeOutput(Buffer.concat(output.stdout)),
      stderr: describeOutput(Buffer.concat(output.stderr)),
      exitCode: end.by === "signal" ? -1 : end.code,
      tree: this.#readTree(directory, comparesLinks),
    };
  }

  [Symbol.dispose](): void {
    this.#machine.close();
    this.#storage[Symbol.dispose]();
  }

  /** All that is below a directory. */
  #readTree(root: string, withLinks: boolean): Tree {
    const { files } = this.#machine;
    const tree: Tree = {};
    const visit = (path: string) => {
      for (const status of files.list(`${root}/${path}`, ROOT)) {
        const place = `${path}${status.name}`;
        const entry: TreeEntry = { mode: describeMode(TYPE_BITS[status.type] | status.mode) };
        if (status.type === "symlink") entry.target = files.readSymlink(`${root}/${place}`, ROOT);
        if (status.type === "file") {
          entry.content = describeBytes(files.readAll(`${root}/${place}`, ROOT));
          if (withLinks) entry.links = status.links;
        }
        tree[place] = entry;
        if (status.type === "directory") visit(`${place}/`);
      }
    };
    visit("");
    return tree;
  }
}
