import type { FileContent, FilePlace, SessionFiles } from "../../browser/session-files.ts";
import { unwrap } from "../../common/outcome.ts";
import type { SessionMachine } from "../../machine/session-machine.ts";
import type { SessionRecord } from "../record.ts";

interface MachineSessionFilesOptions {
  machines: DurableObjectNamespace<SessionMachine>;
  /** The session as it is now; undefined when there is none. */
  readRecord: () => SessionRecord | undefined;
}

/** The files of a session's machine, for its browser. The first use makes the machine. */
export class MachineSessionFiles implements SessionFiles {
  readonly #options: MachineSessionFilesOptions;

  constructor(options: MachineSessionFilesOptions) {
    this.#options = options;
  }

  async store(place: FilePlace, body: ReadableStream<Uint8Array>): Promise<string> {
    using files = await this.#open();
    return unwrap(await files.store(place, body));
  }

  async link(path: string, place: FilePlace): Promise<string> {
    using files = await this.#open();
    return unwrap(await files.link(path, place));
  }

  async read(path: string): Promise<FileContent | undefined> {
    using files = await this.#open();
    return unwrap(await files.read(path)) ?? undefined;
  }

  #open() {
    const { machines, readRecord } = this.#options;
    const record = readRecord();
    if (record === undefined) throw new Error("There is no session any more");
    const { id, organizationId, invocationId } = record;
    return machines.getByName(id).browserFiles({ sessionId: id, organizationId, invocationId });
  }
}
