import { type LogFields, logError } from "../common/log.ts";
import { openDatabase } from "../database/client.ts";
import type { Background } from "./background.ts";
import { Deadlines } from "./deadlines.ts";

export type ObjectContext = Pick<DurableObjectState, "storage" | "waitUntil">;

/** The record that a Durable Object stores, its deadlines, and what its parts need of the platform. */
export class ObjectState<Stored, Kind extends string> implements Background {
  readonly env: Env;
  readonly database;
  readonly deadlines: Deadlines<Kind>;
  readonly #context: ObjectContext;
  readonly #key: string;
  #record: Stored | undefined;

  /** @param key of the record in the object's storage. */
  constructor(context: ObjectContext, env: Env, key: string) {
    this.env = env;
    this.database = openDatabase(env.DB);
    this.deadlines = new Deadlines(context.storage);
    this.#context = context;
    this.#key = key;
    this.#record = context.storage.kv.get<Stored>(key);
  }

  /** Undefined before the first write, and once the storage is deleted. */
  get record(): Stored | undefined {
    return this.#record;
  }

  /** Names the object in log lines. */
  get identity(): LogFields {
    return {};
  }

  /** One transaction with what was written since the last await. */
  write(record: Stored): Stored {
    this.#record = record;
    this.#context.storage.kv.put(this.#key, record);
    return record;
  }

  /** Deletes all that the object stores. */
  async delete(): Promise<void> {
    this.#record = undefined;
    await this.#context.storage.deleteAlarm();
    await this.#context.storage.deleteAll();
  }

  waitUntil(work: Promise<unknown>): void {
    this.#context.waitUntil(work);
  }

  /** Keeps the object alive until `work` is done. A failure is logged as `event`. */
  inBackground(event: string, work: Promise<unknown>): void {
    this.waitUntil(work.catch((error) => logError(event, error, this.identity)));
  }
}
