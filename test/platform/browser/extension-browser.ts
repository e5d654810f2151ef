import { env } from "cloudflare:workers";
import { z } from "zod";
import { acquireBrowser, closeBrowser } from "../../../src/platform/browser/connection/binding.ts";
import {
  attachSession,
  openControlConnection,
} from "../../../src/platform/browser/connection/control-connection.ts";
import type { CDPSession, Connection } from "../../../src/platform/browser/connection/puppeteer.ts";
import type {
  BrowserExtension,
  BrowserExtensions,
  ContentScript,
  LoadedExtensions,
} from "../../../src/platform/browser/extensions/browser-extension.ts";
import { RemoteBrowser } from "../../../src/platform/browser/remote-browser.ts";
import { DEFAULT_VIEWPORT } from "../../../src/platform/browser/tabs/viewport.ts";
import { FakeSessionFiles, newDownloads } from "../../fakes/session-files.ts";

export interface SitePage {
  body: string;
  policy?: string;
}

function newContentScript(script: Partial<ContentScript>): ContentScript {
  return {
    matches: ["*://*.test/*"],
    excludeMatches: [],
    includeGlobs: [],
    excludeGlobs: [],
    js: [],
    css: [],
    runAt: "document_idle",
    allFrames: false,
    matchAboutBlank: false,
    world: "ISOLATED",
    ...script,
  };
}

export function newExtension(
  letter: string,
  contentScripts: Partial<ContentScript>[],
  more: Partial<BrowserExtension> = {},
): BrowserExtension {
  return {
    id: letter.repeat(32),
    manifest: { manifest_version: 3, name: letter, version: "1" },
    contentScripts: contentScripts.map(newContentScript),
    resources: {},
    readFiles: async () => [],
    ...more,
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Extension storage in memory. Requests can interleave, as with a database. */
export function newStorage() {
  const stored = new Map<string, Record<string, unknown>>();
  return {
    stored,
    async read(key: string) {
      await nextTurn();
      return stored.get(key) ?? {};
    },
    async write(key: string, items: Record<string, unknown>) {
      await nextTurn();
      stored.set(key, items);
    },
  };
}

/** Remembers loaded extensions across connections to a browser. */
export function newLoadedExtensions() {
  const loaded: LoadedExtensions & { ids: readonly string[] | undefined } = {
    ids: undefined,
    read: () => loaded.ids,
    write: (ids: readonly string[]) => {
      loaded.ids = ids;
    },
  };
  return loaded;
}

const auxDataSchema = z.object({ frameId: z.string() });

/** A tab as a client sees it. */
export class ClientPage {
  readonly session: CDPSession;
  readonly #worlds = new Map<string, string>();

  private constructor(session: CDPSession, targetId: string) {
    this.session = session;
    session.on("Runtime.executionContextCreated", ({ context: { name, uniqueId, auxData } }) => {
      // A page's main frame has the page's own id.
      if (auxDataSchema.parse(auxData).frameId === targetId) this.#worlds.set(name, uniqueId);
    });
  }

  static async of(session: CDPSession, targetId: string): Promise<ClientPage> {
    const page = new ClientPage(session, targetId);
    await session.send("Runtime.enable");
    await session.send("Page.enable");
    return page;
  }

  /** Navigates and waits for the load event. */
  async visit(url: string): Promise<void> {
    const loaded = new Promise((resolve) => this.session.once("Page.loadEventFired", resolve));
    await this.session.send("Page.navigate", { url });
    await loaded;
  }

  evaluate(expression: string): Promise<unknown> {
    return this.#evaluate(expression);
  }

  /** Evaluates in an extension's isolated world. */
  evaluateIn({ id }: BrowserExtension, expression: string): Promise<unknown> {
    const uniqueContextId = this.#worlds.get(`extension-${id}`);
    if (uniqueContextId === undefined) throw new Error("The extension has no world in the page");
    return this.#evaluate(expression, uniqueContextId);
  }

  async #evaluate(expression: string, uniqueContextId?: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.session.send("Runtime.evaluate", {
      expression,
      uniqueContextId,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails !== undefined) {
      throw new Error(exceptionDetails.exception?.description ?? String(exceptionDetails.exception?.value));
    }
    return result.value;
  }
}

/** A real browser, and a client that serves its sites. */
export class ExtensionBrowser {
  readonly client: Connection;
  readonly #browserId: string;
  readonly #remotes: RemoteBrowser[] = [];

  private constructor(client: Connection, browserId: string) {
    this.client = client;
    this.#browserId = browserId;
  }

  static async launch(site: Readonly<Record<string, SitePage>>): Promise<ExtensionBrowser> {
    return ExtensionBrowser.of(await acquireBrowser(env.BROWSER, 60_000), site);
  }

  /** Connects a client to a running browser. */
  static async of(browserId: string, site: Readonly<Record<string, SitePage>>): Promise<ExtensionBrowser> {
    const client = await openControlConnection(env.BROWSER, browserId);
    client.on("Fetch.requestPaused", ({ requestId, request: { url } }) => {
      const page = site[url];
      const policy =
        page?.policy === undefined ? [] : [{ name: "content-security-policy", value: page.policy }];
      const fulfilled = client.send("Fetch.fulfillRequest", {
        requestId,
        responseCode: page === undefined ? 404 : 200,
        responseHeaders: [{ name: "content-type", value: "text/html; charset=utf-8" }, ...policy],
        body: btoa(page?.body ?? ""),
      });
      fulfilled.catch(() => undefined);
    });
    await client.send("Fetch.enable", { patterns: [{ urlPattern: "*.test/*" }] });
    return new ExtensionBrowser(client, browserId);
  }

  /** Connects as a session does. */
  async connect(extensions?: BrowserExtensions, stealth = false): Promise<RemoteBrowser> {
    const remote = await RemoteBrowser.connect(env.BROWSER, this.#browserId, {
      viewport: DEFAULT_VIEWPORT,
      stealth,
      mainContext: () => undefined,
      proxy: async () => undefined,
      onVisit: () => undefined,
      onForbidden: () => undefined,
      extensions,
      files: new FakeSessionFiles(),
      downloads: newDownloads(),
      onDisconnected: () => undefined,
    });
    this.#remotes.push(remote);
    await remote.prepareForFirstClient();
    return remote;
  }

  async openPage(url?: string, browserContextId?: string): Promise<ClientPage> {
    const { targetId } = await this.client.send("Target.createTarget", {
      url: "about:blank",
      browserContextId,
    });
    const page = await ClientPage.of(await attachSession(this.client, targetId), targetId);
    if (url !== undefined) await page.visit(url);
    return page;
  }

  async close(): Promise<void> {
    await closeBrowser(env.BROWSER, this.#browserId);
    for (const remote of this.#remotes) remote.disconnect();
    this.client.dispose();
  }
}
