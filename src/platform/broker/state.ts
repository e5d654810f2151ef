import { Deadlines } from "../../lib/alarms/deadlines.ts";
import { logError } from "../../lib/common/log.ts";
import type { Region } from "../../lib/common/regions.ts";
import { readSettings, type Settings } from "../../lib/common/settings.ts";
import { BrowserRecords } from "./browser-records.ts";

/**
 * `fill`, `ping`: of standby browsers; `close`: retry closing; `reconcile`: compare with the platform and
 * sessions.
 */
export type BrokerDeadline = "fill" | "ping" | "close" | "reconcile";

const REGION_KEY = "region";

/** State shared by the parts of a broker's object. */
export class BrokerState {
  readonly env: Env;
  readonly records: BrowserRecords;
  readonly deadlines: Deadlines<BrokerDeadline>;
  readonly #context: DurableObjectState;

  constructor(context: DurableObjectState, env: Env) {
    this.#context = context;
    this.env = env;
    this.records = new BrowserRecords(context.storage.kv);
    this.deadlines = new Deadlines(context.storage);
  }

  /** Null: the broker of sessions without a region. */
  get region(): Region | null {
    return this.#context.storage.kv.get<Region>(REGION_KEY) ?? null;
  }

  /** An alarm does not know the name of its object. */
  rememberRegion(region: Region | null): void {
    if (region !== this.region) this.#context.storage.kv.put(REGION_KEY, region);
  }

  get settings(): Settings {
    return readSettings(this.env);
  }

  /** Keeps the object alive until `work` is done. A failure is logged as `event`. */
  inBackground(event: string, work: Promise<unknown>): void {
    this.#context.waitUntil(work.catch((error) => logError(event, error)));
  }
}
