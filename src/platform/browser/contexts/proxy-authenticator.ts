import { logError } from "../../../lib/common/log.ts";
import type { Connection } from "../connection/puppeteer.ts";
import type { BrowserProxy } from "./browser-proxy.ts";
import { authenticate } from "./proxy-authentication.ts";

const RETRY_INTERVAL_MS = 5000;

/** Keeps contexts with the session's proxy authenticated, but gives its credentials to no client's proxy. */
export class ProxyAuthenticator {
  readonly #connection: Connection;
  readonly #readProxy: () => Promise<BrowserProxy | undefined>;
  readonly #pending = new Map<string, Promise<void>>();
  readonly #retriedAt = new Map<string, number>();
  readonly #contexts = new Set<string>();

  constructor(connection: Connection, readProxy: () => Promise<BrowserProxy | undefined>) {
    this.#connection = connection;
    this.#readProxy = readProxy;
  }

  /** Gives a context its proxy's credentials. Concurrent calls share one attempt. */
  async authenticate(contextId: string, given?: BrowserProxy): Promise<void> {
    const proxy = given ?? (await this.#readProxy());
    if (proxy?.credentials === undefined) return;
    const pending = this.#pending.get(contextId);
    if (pending !== undefined) return pending;
    this.#contexts.add(contextId);
    const work = authenticate(this.#connection, proxy, contextId).finally(() =>
      this.#pending.delete(contextId),
    );
    this.#pending.set(contextId, work);
    return work;
  }

  /** Authenticates again after a failed navigation, in the background and only now and then. */
  retry(contextId: string, mainContextId: string | undefined): void {
    if (contextId !== mainContextId && !this.#contexts.has(contextId)) return;
    const now = Date.now();
    if (now - (this.#retriedAt.get(contextId) ?? 0) < RETRY_INTERVAL_MS) return;
    this.#retriedAt.set(contextId, now);
    this.authenticate(contextId).catch((error) => logError("proxy_not_authenticated", error));
  }
}
