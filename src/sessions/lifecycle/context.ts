import type { BrowserProxy } from "../../browser/browser-proxy.ts";
import type { BrowserState } from "../../browser/browser-state.ts";
import type { RemoteBrowser } from "../../browser/remote-browser.ts";
import { allDone } from "../../common/concurrency.ts";
import { badRequest, conflict, notFound, ServiceError } from "../../common/errors.ts";
import { type LogFields, logError } from "../../common/log.ts";
import { readSettings } from "../../common/settings.ts";
import { openDatabase } from "../../database/client.ts";
import { loadProfile } from "../../profiles/load-profile.ts";
import { readBrowserProxy } from "../../proxies/select-proxy.ts";
import type { SessionConnections } from "../connections/connections.ts";
import type { SessionRecord, SessionReferences, SessionStart, SessionStorage } from "../record.ts";
import { updateSessionReferences } from "../store.ts";
import { saveSessionProfile } from "./save-profile.ts";

interface SessionContextOptions {
  env: Env;
  connections: () => SessionConnections;
  storage: Pick<SessionStorage, "readLoadedExtensions">;
  readRecord: () => SessionRecord | undefined;
  writeRecord: (record: SessionRecord) => void;
  /** Names the session in log lines. */
  identify: () => LogFields;
}

/** What a session starts with. */
export interface Furnishing {
  proxy: BrowserProxy | undefined;
  state: BrowserState | undefined;
}

/** What a session's pages live in: the context that its proxy demands, and what its profile has put there. */
export class SessionContext {
  readonly #options: SessionContextOptions;
  /** One change after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: SessionContextOptions) {
    this.#options = options;
  }

  /**
   * Reads what a session is to start with.
   *
   * @throws ServiceError 400 where it is gone, or cannot be used.
   */
  async read({ organizationId, proxyId, profile }: SessionStart): Promise<Furnishing> {
    const { env } = this.#options;
    const [proxy, state] = await Promise.all([
      proxyId === null ? undefined : readBrowserProxy(env, organizationId, proxyId),
      profile === null ? undefined : readProfile(env, organizationId, profile.id),
    ]);
    return { proxy, state };
  }

  /** Puts a browser that was just launched in the state that its session is to start with. */
  async furnish(browser: RemoteBrowser, { proxy, state }: Furnishing): Promise<void> {
    if (proxy !== undefined) {
      const mainContext = await browser.openContext(proxy);
      this.#write({ mainContext });
      // Blank pages need no proxy.
      await allDone([
        browser.authenticate(mainContext.id, proxy),
        browser.moveToMainContext({ urls: [], front: undefined }),
      ]);
      await this.#requireReachable(browser, mainContext.id);
    }
    if (state !== undefined) await this.#restore(browser, state);
  }

  /**
   * Gives a living session another proxy, or none, and a profile where it has none, which is put beside what is there.
   * With another proxy cookies, storage and the tabs' addresses are kept; the pages themselves are opened anew, and
   * contexts that clients have made are closed, because they would go on as before.
   *
   * @throws ServiceError 400 for what cannot be used, 404 when the lease is over meanwhile, 409 where the session has a
   * profile, or extensions that would go around a proxy; whatever the browser fails with. The index and the session agree
   * then on what it has.
   */
  change({ proxyId, profile }: Partial<SessionReferences>): Promise<void> {
    return this.#inTurn(async (requireSame) => {
      const { env, connections } = this.#options;
      const { organizationId, ...record } = this.#requireRecord();
      if (profile != null && record.profile !== null) {
        throw conflict("profile: the session has loaded a profile already");
      }
      // What may be refused comes before what is done.
      const state = profile == null ? undefined : await readProfile(env, organizationId, profile.id);
      try {
        if (proxyId !== undefined) await this.#changeProxy(proxyId, requireSame);
        if (profile === undefined) return;
        const browser = await connections().browser.connect();
        if (state !== undefined) await this.#restore(browser, state);
        requireSame();
        this.#write({ profile });
      } finally {
        await this.#tellIndex();
      }
    });
  }

  /**
   * Takes back what a lease has changed: its proxy, and its profile, which is saved if that was wanted. Why it was not is
   * in the log: the session goes on, and its end is not told to this lease's caller.
   *
   * @throws ServiceError where the pool's own proxy cannot be used any more.
   */
  endLease(): Promise<void> {
    return this.#inTurn(async (requireSame) => {
      const { env, connections, identify } = this.#options;
      const record = this.#requireRecord();
      const { proxyId = null, profile = null } = record.pool ?? {};
      if (record.profile?.id !== profile?.id) {
        await saveSessionProfile(env, record, connections().visitedOrigins.all(), identify());
        requireSame();
        this.#write({ profile });
      }
      await this.#changeProxy(proxyId, requireSame);
    });
  }

  /** Finishes a move to another context that an object before this one, or a failure, has left. */
  finishMove(): Promise<void> {
    return this.#inTurn(() => this.#move());
  }

  /** @throws ServiceError 503 when the browser cannot use the context's proxy. */
  async #requireReachable(browser: RemoteBrowser, contextId: string): Promise<void> {
    const { checksInBrowser, checkURL } = readSettings(this.#options.env).proxies;
    const fault = checksInBrowser ? await browser.findProxyFault(contextId, checkURL) : undefined;
    if (fault === undefined) return;
    throw new ServiceError("proxy_unreachable_from_browser", `The browser cannot use the proxy: ${fault}`);
  }

  async #changeProxy(proxyId: string | null, requireSame: () => void): Promise<void> {
    const { env, connections } = this.#options;
    await this.#move();
    const { organizationId, proxyId: before } = this.#requireRecord();
    if (before === proxyId) return;
    if (proxyId !== null) this.#requireNoLoadedExtensions();
    const proxy = proxyId === null ? undefined : await readBrowserProxy(env, organizationId, proxyId);
    const browser = await connections().browser.connect();
    const mainContext = await browser.openContext(proxy);
    try {
      if (proxy !== undefined) {
        await browser.authenticate(mainContext.id, proxy);
        await this.#requireReachable(browser, mainContext.id);
      }
      const state = await browser.collectState(connections().visitedOrigins.all());
      await browser.restoreState(state, mainContext.id);
      const move = await browser.listTabs();
      requireSame();
      this.#write({ mainContext, proxyId, move });
    } catch (error) {
      if (this.#options.readRecord()?.mainContext?.id !== mainContext.id) {
        await browser.closeContext(mainContext).catch(() => undefined);
      }
      throw error;
    }
    await this.#move();
  }

  /** Closes the pages of the context before the present one: they would go on without its proxy. */
  async #move(): Promise<void> {
    const { move } = this.#requireRecord();
    if (move === undefined) return;
    const browser = await this.#options.connections().browser.connect();
    await browser.moveToMainContext(move);
    this.#write({ move: undefined });
  }

  /** They have a life of their own in the browser, and know no proxy. */
  #requireNoLoadedExtensions(): void {
    const { storage, readRecord } = this.#options;
    const loaded = storage.readLoadedExtensions();
    if (loaded === undefined || loaded.browserId !== readRecord()?.browserId || loaded.ids.length === 0)
      return;
    throw conflict(
      "proxy_id: the browser has loaded extensions, which would go around a proxy; create a session with both",
    );
  }

  /** From then on its origins are among those that are collected. */
  async #restore(browser: RemoteBrowser, state: BrowserState): Promise<void> {
    const { visitedOrigins } = this.#options.connections();
    for (const { origin } of state.origins) visitedOrigins.hear(origin);
    const { refusedCookies } = await browser.restoreState(state);
    if (refusedCookies.length === 0) return;
    logError("cookies_not_restored", new Error(refusedCookies.join(", ")), this.#options.identify());
  }

  /** @param work is given what throws a 404 once the lease that began it is over. */
  #inTurn(work: (requireSame: () => void) => Promise<void>): Promise<void> {
    const { connections } = this.#options;
    const mine = connections();
    const requireSame = () => {
      if (connections() !== mine) throw notFound("browser session");
    };
    const turn = this.#turn.then(async () => {
      requireSame();
      using _use = mine.activity.begin();
      await work(requireSame);
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #requireRecord(): SessionRecord {
    const record = this.#options.readRecord();
    if (record === undefined || record.phase === "ended") throw notFound("browser session");
    return record;
  }

  #write(change: Partial<SessionRecord>): void {
    this.#options.writeRecord({ ...this.#requireRecord(), ...change });
  }

  /** The index of sessions has it from here alone, whatever became of a change. */
  async #tellIndex(): Promise<void> {
    const { env, readRecord } = this.#options;
    const record = readRecord();
    if (record === undefined) return;
    const { id, proxyId, profile } = record;
    await updateSessionReferences(openDatabase(env.DB), id, {
      proxyId,
      profileId: profile?.id ?? null,
    });
  }
}

/** A profile's content; one that is gone is the caller's mistake. */
async function readProfile(
  env: Env,
  organizationId: string,
  profileId: string,
): Promise<BrowserState | undefined> {
  try {
    return await loadProfile(env, organizationId, profileId);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "not_found") throw error;
    throw badRequest({ field: "profile", message: "profile not found" });
  }
}
