/** The parts of `cloudflare:workers` that the machine's object uses, for tests in Node. */
export class DurableObject {
  protected readonly ctx: unknown;
  protected readonly env: unknown;

  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

export class RpcTarget implements Disposable {
  [Symbol.dispose](): void {}
}
