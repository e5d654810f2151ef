import type { Connection } from "../connection/puppeteer.ts";

/** Browser contexts of Berth's own: no page of the session is ever in them, and no client hears of them. */
export class PrivateContexts {
  readonly #connection: Connection;
  readonly #ids = new Set<string>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Makes one that lasts as long as the connection. @returns its id. */
  async open(): Promise<string> {
    const { browserContextId } = await this.#connection.send("Target.createBrowserContext", {
      disposeOnDetach: true,
    });
    this.#ids.add(browserContextId);
    return browserContextId;
  }

  /** Makes one for as long as `work` takes. */
  async with<T>(work: (id: string) => Promise<T>): Promise<T> {
    const id = await this.open();
    try {
      return await work(id);
    } finally {
      // The connection's end disposes of it too.
      await this.#connection
        .send("Target.disposeBrowserContext", { browserContextId: id })
        .catch(() => undefined);
      this.#ids.delete(id);
    }
  }
}
