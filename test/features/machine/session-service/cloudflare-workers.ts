/** The parts of `cloudflare:workers` that the routes and the machine's object load, for tests in Node. */
class Entrypoint {
  protected readonly ctx: unknown;
  protected readonly env: unknown;

  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

export { Entrypoint as DurableObject, Entrypoint as WorkerEntrypoint };

export const exports = {};

export class RpcTarget implements Disposable {
  [Symbol.dispose](): void {}
}
