import type { Machine } from "durable-machine";
import { LocalFiles } from "./local-files.ts";
import { LocalProcesses, type LocalProcessesOptions } from "./local-processes.ts";

const DIRECTORIES = ["/tmp", "/root", "/home/kernel"];

/** A machine on the files and processes of this computer. The agent of a sandbox runs one. */
export class LocalMachine implements Machine {
  readonly files: LocalFiles;
  readonly processes: LocalProcesses;

  /** @param options.root an existing directory, without a slash at the end. */
  constructor(options: LocalProcessesOptions) {
    this.files = new LocalFiles(options.root);
    this.processes = new LocalProcesses(options);
  }

  async open(): Promise<void> {
    for (const path of DIRECTORIES) await this.files.makeDirectory(path, { parents: true });
  }

  async close(): Promise<void> {
    this.files.close();
    await this.processes.close();
  }
}
