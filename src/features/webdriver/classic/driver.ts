import { z } from "zod";
import { resolveWithin } from "../../../lib/common/concurrency.ts";
import { callWithNodes } from "../../../platform/page-scripts/bundled.js";
import { BidiClient, type BidiEvent } from "./bidi-client.ts";
import { bidiPromptBehavior, promptBehavior, type WebDriverSettings } from "./capabilities.ts";
import { WebDriverError } from "./errors.ts";

export const ELEMENT_KEY = "element-6066-11e4-a52e-4f735466cecf";
export const SHADOW_KEY = "shadow-6066-11e4-a52e-4f735466cecf";

/** Scripts of Berth run in this world, where the page cannot change what they use. */
const SANDBOX = "berth-webdriver";

/** For a time-out that the client has switched off. */
const NO_LIMIT_MS = 24 * 3_600_000;

/** How long after input a page may take to begin what the input causes. */
const REACTION_LIMIT = { ms: 1000, code: "timeout" };

/** Resolves when the page is in one of the states. */
const WAIT_UNTIL_LOADED = `(...states) => new Promise((resolve) => {
  const check = () => states.includes(document.readyState) && resolve();
  document.addEventListener("readystatechange", check);
  check();
})`;

/** Events that end the first part of a navigation, in which the old page is still there. */
const NAVIGATION_ENDS =
  /\.(navigationCommitted|navigationFailed|fragmentNavigated|downloadWillBegin|contextDestroyed)$/;

const contextSchema = z.object({ context: z.string() });
const treeSchema = z.object({
  contexts: z.array(contextSchema.extend({ url: z.string(), parent: z.string().nullish() })),
});
const scriptSchema = z.union([
  z.object({ type: z.literal("success"), result: z.object({ value: z.unknown().optional() }) }),
  z.object({ type: z.literal("exception"), exceptionDetails: z.object({ text: z.string() }) }),
]);
const resultSchema = z.tuple([z.object({ value: z.string() })], z.object({ sharedId: z.string() }));
/** `text` is what the client has written into it. */
const promptSchema = contextSchema.extend({
  type: z.string(),
  message: z.string(),
  text: z.string().optional(),
});
const cdpSessionSchema = z.object({ session: z.string() });
const cdpResultSchema = z.object({ result: z.record(z.string(), z.unknown()) });

export interface DriverState extends WebDriverSettings {
  window?: string;
  /** The current frame; absent: the window's top one. */
  frame?: string;
}

/** The browser as WebDriver classic sees it: a current window and frame, prompts and navigations. */
export class Driver {
  readonly bidi: BidiClient;
  readonly #save: (state: DriverState) => void;
  readonly #prompts = new Map<string, z.infer<typeof promptSchema>>();
  /** Navigations of each context that have begun: resolved when they are committed or have failed. */
  readonly #navigations = new Map<string, PromiseWithResolvers<void> & { isOver: boolean }>();
  #state: DriverState;
  #prompted = Promise.withResolvers<void>();

  /** @param save is called when the state has changed. */
  constructor(socket: WebSocket, state: DriverState, save: (state: DriverState) => void) {
    this.bidi = new BidiClient(socket, (event) => this.#handleEvent(event));
    this.#state = state;
    this.#save = save;
  }

  /** @returns the browser's own description of itself. @throws WebDriverError */
  async begin(): Promise<unknown> {
    const { acceptInsecureCerts, unhandledPromptBehavior: given } = this.state;
    // Prompts are handled here, when the next command comes, except those that keep a page from being left.
    const { beforeUnload } = bidiPromptBehavior({ beforeUnload: promptBehavior(given, "beforeUnload") });
    const unhandledPromptBehavior = { default: "ignore", beforeUnload };
    const capabilities = { alwaysMatch: { acceptInsecureCerts, unhandledPromptBehavior } };
    const begun = await this.bidi.send("session.new", { capabilities });
    await this.bidi.send("session.subscribe", { events: ["browsingContext"] });
    if (this.state.window === undefined) {
      const [first] = await this.windows();
      this.update({ window: first ?? (await this.newWindow("tab")) });
    }
    return begun;
  }

  get state(): DriverState {
    return this.#state;
  }

  update(change: Partial<DriverState>): void {
    this.#state = { ...this.#state, ...change };
    this.#save(this.#state);
  }

  get window(): string {
    return this.state.window ?? "";
  }

  get context(): string {
    return this.state.frame ?? this.window;
  }

  async windows(): Promise<string[]> {
    return (await this.#readTrees()).map(({ context }) => context);
  }

  async readTree(root: string) {
    const [context] = await this.#readTrees(root);
    if (context !== undefined) return context;
    throw new WebDriverError("no such frame", "the frame is gone");
  }

  async newWindow(type: string): Promise<string> {
    return contextSchema.parse(await this.bidi.send("browsingContext.create", { type })).context;
  }

  /**
   * Runs one command. One that opens a prompt ends then, without a result.
   *
   * @param options.isFree whether it works while a prompt is open or a page loads.
   */
  async run(command: () => Promise<unknown>, { isFree }: { isFree: boolean }): Promise<unknown> {
    if (isFree) return command();
    await this.#handlePrompt();
    this.#prompted = Promise.withResolvers();
    const working = this.#settle().then(command);
    // A command that waits for the prompt to be closed fails later.
    working.catch(() => undefined);
    return Promise.race([working, this.#prompted.promise]);
  }

  /** Waits until the page has begun what input causes, and is loaded. */
  async react(): Promise<void> {
    const params = { expression: "0", target: { context: this.context }, awaitPromise: false };
    await this.bidi.send("script.evaluate", params, REACTION_LIMIT).catch(() => undefined);
    await this.#settle();
  }

  async navigate(method: string, params: object): Promise<void> {
    const wait = { normal: "complete", eager: "interactive", none: "none" }[this.state.pageLoadStrategy];
    const { window } = this;
    this.update({ frame: undefined });
    const full = { context: window, wait, ...params };
    const done = this.bidi.send(`browsingContext.${method}`, full, this.#pageLimit);
    await done.finally(() => this.#navigations.delete(window));
  }

  /** Calls one of Berth's page scripts. Arguments and result are JSON with references to elements. */
  call(source: string, ...args: unknown[]): Promise<unknown> {
    return this.#call(source, args, SANDBOX);
  }

  /** Runs a client's script in the page. */
  execute(script: string, args: unknown[], isAsync: boolean): Promise<unknown> {
    return this.#call(`function () {\n${script}\n}`, args, undefined, isAsync);
  }

  /** @param find a function that returns a frame's window. */
  async findFrame(find: string, argument: object): Promise<string> {
    const params = { functionDeclaration: find, arguments: [argument] };
    const found = contextSchema.safeParse((await this.#callFunction(params, SANDBOX)).value);
    if (found.success) return found.data.context;
    throw new WebDriverError("no such frame", "there is no such frame");
  }

  async cdp(method: string, params: object): Promise<Record<string, unknown>> {
    const got = await this.bidi.send("goog:cdp.getSession", { context: this.context });
    const { session } = cdpSessionSchema.parse(got);
    return cdpResultSchema.parse(await this.bidi.send("goog:cdp.sendCommand", { method, params, session }))
      .result;
  }

  async closePrompt(accept: boolean): Promise<void> {
    const { context, text: userText } = this.requirePrompt();
    await this.bidi.send("browsingContext.handleUserPrompt", { context, accept, userText });
    this.#prompts.delete(context);
  }

  /** @throws WebDriverError `no such alert` */
  requirePrompt() {
    if (this.#prompt !== undefined) return this.#prompt;
    throw new WebDriverError("no such alert", "no prompt is open");
  }

  async #readTrees(root?: string) {
    return treeSchema.parse(await this.bidi.send("browsingContext.getTree", { root, maxDepth: 0 })).contexts;
  }

  /** Waits until the navigations that have begun are as complete as the client wants. */
  async #settle(): Promise<void> {
    const { pageLoadStrategy } = this.state;
    if (pageLoadStrategy === "none") return;
    const states = pageLoadStrategy === "normal" ? ["complete"] : ["interactive", "complete"];
    const wait = async (context: string): Promise<void> => {
      const navigation = this.#navigations.get(context);
      if (navigation === undefined) return;
      await navigation.promise;
      const params = {
        functionDeclaration: WAIT_UNTIL_LOADED,
        arguments: states.map((value) => ({ type: "string", value })),
        target: { context, sandbox: SANDBOX },
        awaitPromise: true,
      };
      // Fails when another navigation replaces the page.
      await this.bidi.send("script.callFunction", params, this.#pageLimit).catch(() => undefined);
      if (this.#navigations.get(context) === navigation) this.#navigations.delete(context);
      return wait(context);
    };
    const waited = Promise.all([wait(this.window), wait(this.context)]);
    if ((await resolveWithin(waited, this.#pageLimit.ms)) !== undefined) return;
    this.#navigations.clear();
    throw new WebDriverError("timeout", `the page did not load within ${this.#pageLimit.ms} ms`);
  }

  async #call(source: string, args: unknown[], sandbox?: string, isAsync = false): Promise<unknown> {
    const json = JSON.stringify(args);
    const nodes: { sharedId: unknown }[] = [];
    JSON.parse(json, (key, value) => {
      if (isReference(key)) nodes.push({ sharedId: value });
      return value;
    });
    const params = {
      functionDeclaration: `(json, ...nodes) => (${callWithNodes})(${source}, ${isAsync}, json, ...nodes)`,
      arguments: [{ type: "string", value: json }, ...nodes],
      serializationOptions: { maxDomDepth: 0 },
    };
    const [{ value }, ...found] = resultSchema.parse((await this.#callFunction(params, sandbox)).value);
    return JSON.parse(value, (key, index) => (isReference(key) ? found[index]?.sharedId : index));
  }

  async #callFunction(params: object, sandbox: string | undefined) {
    const target = { context: this.context, sandbox };
    const isOwn = sandbox !== undefined;
    const scriptLimit = { ms: this.state.timeouts.script ?? NO_LIMIT_MS, code: "script timeout" };
    const full = { ...params, target, awaitPromise: true, userActivation: true };
    const answer = await this.bidi.send("script.callFunction", full, isOwn ? undefined : scriptLimit);
    return readResult(answer, isOwn);
  }

  get #pageLimit() {
    return { ms: this.state.timeouts.pageLoad ?? NO_LIMIT_MS, code: "timeout" };
  }

  get #prompt() {
    return this.#prompts.get(this.window) ?? this.#prompts.get(this.context);
  }

  async #handlePrompt(): Promise<void> {
    const prompt = this.#prompt;
    if (prompt === undefined) return;
    const behavior = promptBehavior(this.state.unhandledPromptBehavior, prompt.type);
    if (behavior !== "ignore") await this.closePrompt(behavior.startsWith("accept"));
    if (behavior === "accept" || behavior === "dismiss") return;
    const text = prompt.message;
    throw new WebDriverError("unexpected alert open", `{Alert text : ${text}}`, { text });
  }

  #handleEvent({ method, params }: BidiEvent): void {
    const { context } = params;
    if (method === "browsingContext.userPromptOpened") {
      this.#prompts.set(context, promptSchema.parse(params));
      if (this.#prompt !== undefined) this.#prompted.resolve();
    } else if (method === "browsingContext.navigationStarted") {
      // A replaced navigation continues as the new one.
      if (this.#navigations.get(context)?.isOver === false) return;
      this.#navigations.set(context, { ...Promise.withResolvers(), isOver: false });
    } else if (NAVIGATION_ENDS.test(method)) this.#endNavigation(context);
    if (/userPromptClosed|contextDestroyed/.test(method)) this.#prompts.delete(context);
    if (method === "browsingContext.contextDestroyed") {
      this.#endNavigation(context);
      this.#navigations.delete(context);
    }
  }

  #endNavigation(context: string): void {
    const navigation = this.#navigations.get(context);
    if (navigation === undefined) return;
    navigation.isOver = true;
    navigation.resolve();
  }
}

/** @param isOwn whether an exception of the script may be an error of WebDriver, named by its code. */
function readResult(answered: unknown, isOwn: boolean) {
  const answer = scriptSchema.parse(answered);
  if (answer.type === "success") return answer.result;
  const { text } = answer.exceptionDetails;
  const [, code, message = text] = (isOwn && /^([a-z][a-z ]+|SyntaxError): (.*)$/s.exec(text)) || [];
  throw new WebDriverError(code ?? "javascript error", message);
}

function isReference(key: string): boolean {
  return key === ELEMENT_KEY || key === SHADOW_KEY;
}
