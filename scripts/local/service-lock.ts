import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { parseJSON } from "../../src/lib/common/parse-json.ts";
import { writeNewFile } from "./new-file.ts";
import { type ProcessEntry, type ProcessIdentity, readProcessTable } from "./process-table.ts";
import { endProcessTree, findProcessTree } from "./process-tree.ts";
import { SetUpError } from "./set-up-error.ts";
import { isTemporaryFolder, makeTemporaryFolder, removeTemporaryFolder } from "./temporary-folder.ts";

const identitySchema = z.object({ pid: z.number().int().positive(), started: z.string() });

const recordSchema = z.object({
  /** The process that holds the lock. */
  holder: identitySchema,
  url: z.string(),
  temporaryFolder: z.string().refine(isTemporaryFolder),
  /** Its processes, when last observed. */
  processes: z.array(identitySchema),
});

export type ServiceRecord = z.infer<typeof recordSchema>;

/** Prevents two services on one state folder, and records processes so the next start can end leftovers. */
export class ServiceLock implements Disposable {
  readonly #path: string;
  #record: ServiceRecord;

  private constructor(path: string, record: ServiceRecord) {
    this.#path = path;
    this.#record = record;
  }

  /** Locks after ending a killed service's processes. @throws SetUpError if a running one holds the lock. */
  static async acquire(path: string, url: string): Promise<ServiceLock> {
    await clearStaleLock(path);
    const record = { holder: ownIdentity(), url, temporaryFolder: makeTemporaryFolder(), processes: [] };
    if (writeNewFile(path, serialize(record))) return new ServiceLock(path, record);
    removeTemporaryFolder(record.temporaryFolder);
    throw new SetUpError("Another `npm start` on this state folder started at the same moment.");
  }

  get temporaryFolder(): string {
    return this.#record.temporaryFolder;
  }

  record(processes: readonly ProcessIdentity[]): void {
    this.#record = { ...this.#record, processes: processes.map(({ pid, started }) => ({ pid, started })) };
    const temporaryFile = `${this.#path}.${process.pid}`;
    writeFileSync(temporaryFile, serialize(this.#record), { mode: 0o600 });
    renameSync(temporaryFile, this.#path);
  }

  [Symbol.dispose](): void {
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
        `Berth is already running on this state folder at ${record.url} (process ${record.holder.pid}).\n` +
          "Stop it first, or set BERTH_STATE_DIRECTORY and PORT to run a second one.",
      );
    }
    const traits = { known: record.processes, marker: record.temporaryFolder };
    const leftovers = findProcessTree(table, traits).length;
    if (leftovers > 0)
      console.log(`The previous service was killed. Ending its ${leftovers} leftover processes.`);
    await endProcessTree(traits);
    removeTemporaryFolder(record.temporaryFolder);
  }
  rmSync(path, { force: true });
}

/** Compares start times as well, because process ids are reused. */
export function isHeld({ holder }: ServiceRecord, table: readonly ProcessEntry[]): boolean {
  return table.some(({ pid, started }) => pid === holder.pid && started === holder.started);
}

/** Returns undefined for an invalid lock file, as after a full disk. */
export function parseRecord(text: string): ServiceRecord | undefined {
  return recordSchema.safeParse(parseJSON(text)).data;
}

function ownIdentity(): ProcessIdentity {
  const own = readProcessTable().find(({ pid }) => pid === process.pid);
  if (own === undefined) throw new SetUpError("Could not read the process list of this machine.");
  return { pid: own.pid, started: own.started };
}

function serialize(record: ServiceRecord): string {
  return `${JSON.stringify(record)}\n`;
}
