import { settleAll } from "../../../lib/common/concurrency.ts";
import { conflict, notFound, ServiceError } from "../../../lib/common/errors.ts";
import { logError } from "../../../lib/common/log.ts";
import type { BrowserProxy, BrowserState, RemoteBrowser } from "../../../platform/browser/index.ts";
import type { CurrentConnections } from "../connections/connections.ts";
import { readProfile, readProxy } from "../read-references.ts";
import type { SessionReferences, SessionStart } from "../record.ts";
import type { SessionState } from "../state.ts";
import { updateSessionReferences } from "../store.ts";
import { saveSessionProfile } from "./save-profile.ts";

/** The proxy and the profile's content that a session starts with. */
interface InitialContent {
  proxy: BrowserProxy | undefined;
  state: BrowserState | undefined;
}

/** The browser context of a session's pages: its proxy, and the profile's content in it. */
export class SessionBrowserContext {
  readonly #state: SessionState;
  readonly #connections: CurrentConnections;
  /** Changes run one after another. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(state: SessionState, connections: CurrentConnections) {
    this.#state = state;
    this.#connections = connections;
  }

  /** Reads a session's initial proxy and profile. @throws ServiceError 400 if one is gone or unusable. */
  async read(start: SessionStart): Promise<InitialContent> {
    const { env } = this.#state;
    const { proxyId, profile } = start;
    const [proxy, state] = await Promise.all([
      proxyId === null ? undefined : readProxy(start, proxyId),
      profile === null ? undefined : readProfile(env, start, profile.id),
    ]);
    return { proxy, state };
  }

  /** Opens the context of a browser that was just launched, and loads the profile. */
  async prepare(browser: RemoteBrowser, { proxy, state }: InitialContent): Promise<void> {
    if (proxy !== undefined) {
      const mainContext = await browser.openContext(proxy);
      this.#state.update({ mainContext });
      // Blank pages need no proxy.
      await settleAll([
        browser.authenticate(mainContext.id, proxy),
        browser.moveToMainContext({ urls: [], front: undefined }),
      ]);
      await this.#requireReachable(browser, mainContext.id);
    }
    if (state !== undefined) await this.#restore(browser, state);
  }

  /**
   * Changes the proxy of a living session, and loads a profile if it has none. A new proxy keeps cookies,
   * storage and the tabs' URLs. The pages are reopened, and contexts that clients created are closed because
   * they would still use the old proxy.
   *
   * @throws ServiceError 400 when a reference cannot be used, 404 when the lease ends in the meantime, 409
   * when the session has a profile already, or extensions that would bypass a proxy; any error of the
   * browser. The database and the session agree in every case.
   */
  change({ proxyId, profile }: Partial<SessionReferences>): Promise<void> {
    return this.#inTurn(async (requireSameLease) => {
      const { env } = this.#state;
      const record = this.#state.requireLiving();
      if (profile != null && record.profile !== null) {
        throw conflict("profile: the session has loaded a profile already");
      }
      // Everything that may be refused comes first.
      const state = profile == null ? undefined : await readProfile(env, record, profile.id);
      try {
        if (proxyId !== undefined) await this.#changeProxy(proxyId, requireSameLease);
        if (profile === undefined) return;
        const browser = await this.#connections.current.browser.connect();
        if (state !== undefined) await this.#restore(browser, state);
        requireSameLease();
        this.#state.update({ profile });
      } finally {
        await this.#updateRow();
      }
    });
  }

  /**
   * Restores the pool's proxy and profile after a lease. The lease's profile is saved if its caller asked for
   * that; a failed save is only logged, because the session continues without that caller.
   *
   * @throws ServiceError when the pool's own proxy can no longer be used.
   */
  endLease(): Promise<void> {
    return this.#inTurn(async (requireSameLease) => {
      const { env, identity } = this.#state;
      const record = this.#state.requireLiving();
      const { proxyId = null, profile = null } = record.pool ?? {};
      if (record.profile?.id !== profile?.id) {
        await saveSessionProfile(env, record, this.#connections.current.visitedOrigins.all(), identity);
        requireSameLease();
        this.#state.update({ profile });
      }
      await this.#changeProxy(proxyId, requireSameLease);
    });
  }

  /** Finishes a move to another context that a crash or a failure interrupted. */
  finishMove(): Promise<void> {
    return this.#inTurn(() => this.#move());
  }

  /** @throws ServiceError 503 when the browser cannot use the context's proxy. */
  async #requireReachable(browser: RemoteBrowser, contextId: string): Promise<void> {
    const { checksInBrowser, checkURL } = this.#state.settings.proxies;
    const fault = checksInBrowser ? await browser.findProxyError(contextId, checkURL) : undefined;
    if (fault === undefined) return;
    throw new ServiceError("proxy_unreachable_from_browser", `The browser cannot use the proxy: ${fault}`);
  }

  async #changeProxy(proxyId: string | null, requireSameLease: () => void): Promise<void> {
    await this.#move();
    const record = this.#state.requireLiving();
    if (record.proxyId === proxyId) return;
    if (proxyId !== null) this.#requireNoLoadedExtensions();
    const proxy = proxyId === null ? undefined : await readProxy(record, proxyId);
    const browser = await this.#connections.current.browser.connect();
    const mainContext = await browser.openContext(proxy);
    try {
      if (proxy !== undefined) {
        await browser.authenticate(mainContext.id, proxy);
        await this.#requireReachable(browser, mainContext.id);
      }
      const state = await browser.collectState(this.#connections.current.visitedOrigins.all());
      await browser.restoreState(state, mainContext.id);
      const move = await browser.listTabs();
      requireSameLease();
      this.#state.update({ mainContext, proxyId, move });
    } catch (error) {
      if (this.#state.record?.mainContext?.id !== mainContext.id) {
        await browser.closeContext(mainContext).catch(() => undefined);
      }
      throw error;
    }
    await this.#move();
  }

  /** Moves the tabs to the present context, and closes pages of earlier ones: those do not use its proxy. */
  async #move(): Promise<void> {
    const { move } = this.#state.requireLiving();
    if (move === undefined) return;
    const browser = await this.#connections.current.browser.connect();
    await browser.moveToMainContext(move);
    this.#state.update({ move: undefined });
  }

  /** Background scripts of loaded extensions do not use a context's proxy. */
  #requireNoLoadedExtensions(): void {
    const { storage, record } = this.#state;
    const loaded = storage.readLoadedExtensions();
    if (loaded === undefined || loaded.browserId !== record?.browserId || loaded.ids.length === 0) return;
    throw conflict(
      "proxy_id: the browser has loaded extensions, which would go around a proxy; create a session with both",
    );
  }

  async #restore(browser: RemoteBrowser, state: BrowserState): Promise<void> {
    const { visitedOrigins } = this.#connections.current;
    for (const { origin } of state.origins) visitedOrigins.add(origin);
    const { refusedCookies } = await browser.restoreState(state);
    if (refusedCookies.length === 0) return;
    logError("cookies_not_restored", new Error(refusedCookies.join(", ")), this.#state.identity);
  }

  /** @param work gets a function that throws a 404 once the lease that began the work has ended. */
  #inTurn(work: (requireSameLease: () => void) => Promise<void>): Promise<void> {
    const mine = this.#connections.current;
    const requireSameLease = () => {
      if (this.#connections.current !== mine) throw notFound("browser session");
    };
    const turn = this.#turn.then(async () => {
      requireSameLease();
      using _use = mine.activity.begin();
      await work(requireSameLease);
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** The row follows the session, however a change ended. */
  async #updateRow(): Promise<void> {
    const { database, record } = this.#state;
    if (record === undefined) return;
    const { id, proxyId, profile } = record;
    await updateSessionReferences(database, id, { proxyId, profileId: profile?.id ?? null });
  }
}
