import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { DevToolsClient } from "./devtools-client.ts";

/** A command without a response, or an event that does not arrive, counts as refused after this time. */
const PATIENCE_MS = 5_000;

const TARGETS = z.array(z.object({ targetId: z.string(), type: z.string(), url: z.string() }));

/** Chrome's list of pages shows an "inspect" link for each. */
const CLICK_INSPECT = `new Promise((resolve) => {
  const look = () => {
    const row = [...document.querySelectorAll("#pages-list .row")].find((each) => each.textContent.includes("inspected"));
    if (row === undefined) return setTimeout(look, 50);
    row.querySelector(".action").click();
    resolve();
  };
  look();
})`;

/** Runs in Chrome's DevTools: reports all they receive, backwards as the relay recognizes headers by name. */
const HOOK = `new Promise((resolve) => {
  const look = () => {
    const dispatch = globalThis.DevToolsAPI?.dispatchMessage;
    if (dispatch === undefined) return setTimeout(look, 50);
    const waiting = new Map();
    const page = Promise.withResolvers();
    DevToolsAPI.dispatchMessage = function (message) {
      const { id, sessionId, result, error } = JSON.parse(message);
      if (sessionId) page.resolve(sessionId);
      waiting.get(id)?.(result ?? error);
      told([...String(message)].reverse().join(""));
      return dispatch.apply(this, arguments);
    };
    globalThis.call = async (method, params) => {
      const [id, answer] = [1_000_000 + waiting.size, Promise.withResolvers()];
      waiting.set(id, answer.resolve);
      const message = { id, method, params, sessionId: await page.promise };
      InspectorFrontendHost.sendMessageToBackend(JSON.stringify(message));
      return answer.promise;
    };
    resolve();
  };
  look();
})`;

/** A client of a session that tries what is forbidden, and keeps everything the service tells it. */
export class Attacker implements Disposable {
  readonly #client: DevToolsClient;
  #heard = "";

  private constructor(client: DevToolsClient) {
    this.#client = client;
    client.socket.on("message", (data) => {
      this.#heard += `${data}\n`;
    });
  }

  static async connect({ cdp_ws_url }: { cdp_ws_url: string }): Promise<Attacker> {
    return new Attacker(await DevToolsClient.connect(cdp_ws_url));
  }

  knows(text: string | RegExp, since = 0): boolean {
    const heard = this.#heard.slice(since);
    return typeof text === "string" ? heard.includes(text) : text.test(heard);
  }

  /** @returns undefined if the command was refused. */
  async attempt(
    method: string,
    params: Record<string, unknown> = {},
    sessionId?: string,
  ): Promise<Record<string, unknown> | undefined> {
    const sent = this.#client.send(method, params, sessionId).catch(() => undefined);
    return Promise.race([sent, setTimeout(PATIENCE_MS, undefined, { ref: false })]);
  }

  /** @returns the id of a CDP session, or undefined if the target was refused. */
  async attach(targetId: unknown): Promise<string | undefined> {
    const attached = await this.attempt("Target.attachToTarget", { targetId, flatten: true });
    return attached && String(attached.sessionId);
  }

  /** Opens a URL in a new tab. @returns the id of its CDP session, or undefined if it was refused. */
  async open(url: string): Promise<string | undefined> {
    const created = await this.attempt("Target.createTarget", { url });
    const tab = created && (await this.attach(created.targetId));
    if (tab === undefined) return undefined;
    await this.attempt("Page.enable", {}, tab);
    await this.navigate(url, tab);
    return tab;
  }

  /** Opens a URL in a tab and waits until it is loaded, unless it is refused or a download. */
  async navigate(url: string, tab: string | undefined): Promise<void> {
    const since = this.#heard.length;
    const opened = await this.attempt("Page.navigate", { url }, tab);
    if (opened?.loaderId === undefined || opened.errorText !== undefined || opened.isDownload === true)
      return;
    await this.hears(new RegExp(`"Page.loadEventFired".*"${tab}"`), since);
  }

  async waitForLoad(url: string, tab: string | undefined): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!this.knows(`"complete ${url}"`) && performance.now() < end) {
      await this.run('[document.readyState, location.href].join(" ")', tab);
    }
  }

  /** Opens a URL in a new tab, otherwise in an open one, and runs a script there. */
  async visit(url: string, script: string): Promise<void> {
    let tab = await this.open(url);
    if (tab === undefined) {
      tab = await this.open("about:blank");
      await this.navigate(url, tab);
    }
    await this.run(script, tab);
  }

  /** Runs a script, which may return a promise, and thereby receives its result. */
  async run(expression: string, sessionId: string | undefined): Promise<void> {
    const script = { expression, awaitPromise: true, returnByValue: true };
    await this.attempt("Runtime.evaluate", script, sessionId);
  }

  /** All targets that the service reports. */
  async targets(): Promise<z.infer<typeof TARGETS>> {
    const answer = await this.attempt("Target.getTargets", { filter: [{}] });
    return TARGETS.parse(answer?.targetInfos);
  }

  /** Waits until it has received a text. @returns false if that takes too long. */
  async hears(text: string | RegExp, since = 0): Promise<boolean> {
    const late = Symbol("late");
    const patience = setTimeout(PATIENCE_MS, late, { ref: false });
    while (!this.knows(text, since)) {
      const next = new Promise((resolve) => this.#client.socket.once("message", resolve));
      if ((await Promise.race([next, patience])) === late) return false;
    }
    return true;
  }

  /**
   * Opens Chrome's own DevTools for a tab, with a function `call` that sends a command past the relay.
   *
   * @returns the CDP sessions of both; that of the DevTools is undefined if they were refused.
   */
  async inspect(): Promise<{ inspected: string | undefined; frontEnd: string | undefined }> {
    const inspected = await this.open("data:text/html,<title>inspected</title>");
    const list = await this.open("chrome://inspect/#pages");
    await this.attempt("Target.setDiscoverTargets", { discover: true, filter: [{}] });
    if (list !== undefined) {
      await this.run(CLICK_INSPECT, list);
      await this.hears(/"url":"devtools:/);
    }
    const tools = (await this.targets()).find(
      ({ type, url }) => type !== "tab" && url.startsWith("devtools:"),
    );
    if (tools === undefined) return { inspected, frontEnd: undefined };
    const frontEnd = await this.attach(tools.targetId);
    await this.attempt("Runtime.addBinding", { name: "told" }, frontEnd);
    await this.attempt("Runtime.enable", {}, frontEnd);
    await this.run(HOOK, frontEnd);
    return { inspected, frontEnd };
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}
