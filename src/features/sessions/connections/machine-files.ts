import { unwrap } from "../../../lib/common/outcome.ts";
import { placedIn } from "../../../lib/common/regions.ts";
import type { FileContent, FileDestination, SessionFiles } from "../../../platform/browser/index.ts";
import type { SessionMachine } from "../../machine/index.ts";
import type { SessionRecord } from "../record.ts";

/** The files of a session's machine, for its browser. The first use creates the machine. */
export class MachineSessionFiles implements SessionFiles {
  readonly #machines: DurableObjectNamespace<SessionMachine>;
  readonly #readRecord: () => SessionRecord | undefined;

  /** @param readRecord returns undefined once the session has ended. */
  constructor(machines: DurableObjectNamespace<SessionMachine>, readRecord: () => SessionRecord | undefined) {
    this.#machines = machines;
    this.#readRecord = readRecord;
  }

  async store(place: FileDestination, body: ReadableStream<Uint8Array>): Promise<string> {
    using files = await this.#open();
    return unwrap(await files.store(place, body));
  }

  async link(path: string, place: FileDestination): Promise<string> {
    using files = await this.#open();
    return unwrap(await files.link(path, place));
  }

  async read(path: string): Promise<FileContent | undefined> {
    using files = await this.#open();
    return unwrap(await files.read(path)) ?? undefined;
  }

  async list(): Promise<string[]> {
    using files = await this.#open();
    return unwrap(await files.list());
  }

  #open() {
    const record = this.#readRecord();
    if (record === undefined) throw new Error("The session has ended");
    const { id, organizationId, projectId, invocationId, region } = record;
    return this.#machines
      .getByName(id, placedIn(region))
      .browserFiles({ sessionId: id, organizationId, projectId, invocationId });
  }
}
