import type { Region } from "../../lib/common/regions.ts";
import { readSettings, type Settings } from "../../lib/common/settings.ts";
import { ObjectState } from "../../lib/objects/object-state.ts";
import { BrowserRecords } from "./browser-records.ts";

/** `fill`, `ping`: standby browsers; `close`: retry; `reconcile`: compare with the platform and sessions. */
export type BrokerDeadline = "fill" | "ping" | "close" | "reconcile";

/** State shared by the parts of a broker's object. An alarm does not know the name of its object. */
export class BrokerState extends ObjectState<Region | null, BrokerDeadline> {
  readonly kv: SyncKvStorage;
  readonly records: BrowserRecords;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env, "region");
    this.kv = context.storage.kv;
    this.records = new BrowserRecords(this.kv);
  }

  /** Null: the broker of sessions without a region. */
  get region(): Region | null {
    return this.record ?? null;
  }

  rememberRegion(region: Region | null): void {
    if (region !== this.region) this.write(region);
  }

  get settings(): Settings {
    return readSettings(this.env);
  }
}
