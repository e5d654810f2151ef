import type { InvocationRow } from "../../database/schema/apps.ts";

/** What an invocation's object is told when it is accepted. */
export interface InvocationStart {
  /** As the index has it: queued. */
  row: InvocationRow;
  /** The environment variables of its deployment, encrypted; null: there are none. */
  envVars: string | null;
  /** Under which the action reaches this service. */
  origin: string;
  /** Whether the caller waits for its end. */
  isAwaited: boolean;
  /** How long the action may run, in milliseconds. */
  timeoutMs: number;
}

/** An invocation as its own object keeps it. Its row is the truth, which the index follows. */
export interface InvocationRecord extends InvocationStart {
  /** When its time is up, in milliseconds since the epoch; absent until it runs. */
  deadline?: number;
}

const RECORD_KEY = "invocation";

/** An invocation's record in its object's storage. Reading writes nothing. */
export class InvocationStorage {
  readonly #kv: DurableObjectStorage["kv"];

  constructor(storage: DurableObjectStorage) {
    this.#kv = storage.kv;
  }

  read(): InvocationRecord | undefined {
    return this.#kv.get<InvocationRecord>(RECORD_KEY);
  }

  write(record: InvocationRecord): void {
    this.#kv.put(RECORD_KEY, record);
  }
}
