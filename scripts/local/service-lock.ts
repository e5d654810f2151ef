import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { writeNewFile } from "./new-file.ts";
import { endFamily, findFamily } from "./process-family.ts";
import { type ProcessEntry, type ProcessIdentity, readProcessTable } from "./process-table.ts";
import { SetUpError } from "./set-up-error.ts";
import { isTemporaryFolder, makeTemporaryFolder, removeTemporaryFolder } from "./temporary-folder.ts";

const identitySchema = z.object({ pid: z.number().int().positive(), started: z.string() });

const recordSchema = z.object({
  /** The start that holds the lock. */
  holder: identitySchema,
  url: z.string(),
  temporaryFolder: z.string().refine(isTemporaryFolder),
  /** What it had started when it last looked. */
  processes: z.array(identitySchema),
});

export type ServiceRecord = z.infer<typeof recordSchema>;

/** Keeps a second service off a state folder, and remembers what a killed one leaves behind. */
export class ServiceLock {
  readonly #path: string;
  #record: ServiceRecord;

  private constructor(path: string, record: ServiceRecord) {
    this.#path = path;
    this.#record = record;
  }

  /**
   * Takes the lock; first ends what a killed start has left behind.
   *
   * @throws SetUpError with its address when a living service holds the lock.
   */
  static async take(path: string, url: string): Promise<ServiceLock> {
    await clearStaleLock(path);
    const record = { holder: ownIdentity(), url, temporaryFolder: makeTemporaryFolder(), processes: [] };
    if (writeNewFile(path, serialize(record))) return new ServiceLock(path, record);
    removeTemporaryFolder(record.temporaryFolder);
    throw new SetUpError("Another `npm start` on the same state folder began at this moment.");
  }

  get temporaryFolder(): string {
    return this.#record.temporaryFolder;
  }

  /** Writes down the processes of the service. */
  record(processes: readonly ProcessIdentity[]): void {
    this.#record = { ...this.#record, processes: processes.map(({ pid, started }) => ({ pid, started })) };
    const draft = `${this.#path}.${process.pid}`;
    writeFileSync(draft, serialize(this.#record), { mode: 0o600 });
    renameSync(draft, this.#path);
  }

  release(): void {
    removeTemporaryFolder(this.temporaryFolder);
    rmSync(this.#path, { force: true });
  }
}

async function clearStaleLock(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const record = parseRecord(readFileSync(path, "utf8"));
  if (record !== undefined) {
    const table = readProcessTable();
    if (isHeld(record, table)) {
      throw new SetUpError(
        `Berth is already running on this state folder: ${record.url} (process ${record.holder.pid}).\n` +
          "Stop it first, or set BERTH_STATE_DIRECTORY and PORT for a second one.",
      );
    }
    const traits = { known: record.processes, marker: record.temporaryFolder };
    const leftovers = findFamily(table, traits).length;
    if (leftovers > 0)
      console.log(`The last start was killed: ending ${leftovers} processes it left behind.`);
    await endFamily(traits);
    removeTemporaryFolder(record.temporaryFolder);
  }
  rmSync(path, { force: true });
}

/** Whether the start that wrote the record still runs; its pid alone may be another process's by now. */
export function isHeld({ holder }: ServiceRecord, table: readonly ProcessEntry[]): boolean {
  return table.some(({ pid, started }) => pid === holder.pid && started === holder.started);
}

/** The record in a lock file; undefined when it is none, as after a full disk. */
export function parseRecord(text: string): ServiceRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function ownIdentity(): ProcessIdentity {
  const own = readProcessTable().find(({ pid }) => pid === process.pid);
  if (own === undefined) throw new SetUpError("The list of this machine's processes cannot be read.");
  return { pid: own.pid, started: own.started };
}

function serialize(record: ServiceRecord): string {
  return `${JSON.stringify(record)}\n`;
}
