import { RpcTarget } from "cloudflare:workers";
import type { AddressGrant } from "../require-access.ts";

/** A use of a session that another Worker or object holds. It ends when its holder does. */
export class RemoteUse extends RpcTarget implements Disposable {
  readonly #use: Disposable;

  constructor(use: Disposable) {
    super();
    this.#use = use;
  }

  [Symbol.dispose](): void {
    this.#use[Symbol.dispose]();
  }
}

/** A run of code beside a session's browser. Disposing of `use` ends it. */
export interface SessionRun {
  sessionId: string;
  grant: AddressGrant;
  runId: string;
  use: RemoteUse;
}
