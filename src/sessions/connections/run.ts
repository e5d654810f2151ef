import { RpcTarget } from "cloudflare:workers";
import type { AddressGrant } from "../access.ts";

/** A use of a session that somebody outside of its object holds; it ends with them, too. */
export class HeldUse extends RpcTarget implements Disposable {
  readonly #use: Disposable;

  constructor(use: Disposable) {
    super();
    this.#use = use;
  }

  [Symbol.dispose](): void {
    this.#use[Symbol.dispose]();
  }
}

/** A run of code beside the browser of a session. */
export interface SessionRun {
  sessionId: string;
  /** What it may reach of the session. */
  grant: AddressGrant;
  runId: string;
  /** Whoever holds it ends the run. */
  use: HeldUse;
}
