import { RpcTarget } from "cloudflare:workers";

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
