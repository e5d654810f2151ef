import type { Connection } from "../connection/puppeteer.ts";

/** Berth's own browser contexts. They contain no session pages and are hidden from clients. */
export class PrivateContexts {
  readonly #connection: Connection;
  readonly #ids = new Set<string>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  async open(): Promise<string> {
    const { browserContextId } = await this.#connection.send("Target.createBrowserContext", {
      disposeOnDetach: true,
    });
    this.#ids.add(browserContextId);
    return browserContextId;
  }

  async with<T>(work: (id: string) => Promise<T>): Promise<T> {
    const id = await this.open();
    try {
      return await work(id);
    } finally {
      await this.#connection
        .send("Target.disposeBrowserContext", { browserContextId: id })
        .catch(() => undefined);
      this.#ids.delete(id);
    }
  }
}
