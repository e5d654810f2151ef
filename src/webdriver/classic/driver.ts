import { z } from "zod";
import { resolveWithin } from "../../common/concurrency.ts";
import { callWithNodes, waitUntilLoaded } from "../../page-scripts/bundled.js";
import { BidiClient, type BidiEvent } from "./bidi-client.ts";
import type { WebDriverSettings } from "./capabilities.ts";
import { toErrorCode, WebDriverError } from "./errors.ts";

export const ELEMENT_KEY = "element-6066-11e4-a52e-4f735466cecf";
export const SHADOW_KEY = "shadow-6066-11e4-a52e-4f735466cecf";

/** Scripts of Berth run in this world, where the page cannot change what they use. */
const SANDBOX = "berth-webdriver";

/** For a time-out that the client has switched off. */
const NO_LIMIT_MS = 24 * 3_600_000;

/** How long after input a page may take to begin what the input causes. */
const REACTION_TIMEOUT_MS = 1000;

const EVENTS = [
  "userPromptOpened",
  "userPromptClosed",
  "navigationStarted",
  "navigationCommitted",
  "navigationFailed",
  "fragmentNavigated",
  "downloadWillBegin",
  "contextDestroyed",
];

const treeSchema = z.object({
  contexts: z.array(z.object({ context: z.string(), url: z.string(), parent: z.string().nullish() })),
});

const scriptSchema = z.union([
  z.object({ type: z.literal("success"), result: z.looseObject({ type: z.string(), value: z.unknown() }) }),
  z.object({ type: z.literal("exception"), exceptionDetails: z.object({ text: z.string() }) }),
]);

const nodesSchema = z.tuple([z.object({ value: z.string() })], z.object({ sharedId: z.string() }));
const windowSchema = z.object({ context: z.string() });
const promptSchema = z.object({
  context: z.string(),
  type: z.string(),
  message: z.string(),
  /** What the client has written into it. */
  text: z.string().optional(),
});
const cdpSessionSchema = z.object({ session: z.string() });
const cdpResultSchema = z.object({ result: z.record(z.string(), z.unknown()) });
const referenceSchema = z.union([
  z.looseObject({ [ELEMENT_KEY]: z.string() }).transform((reference) => reference[ELEMENT_KEY]),
  z.looseObject({ [SHADOW_KEY]: z.string() }).transform((reference) => reference[SHADOW_KEY]),
]);

export interface DriverState extends WebDriverSettings {
  window?: string;
  /** The current frame; absent: the window's top one. */
  frame?: string;
}

interface DriverOptions {
  state: DriverState;
  /** Called when the state has changed. */
  save: (state: DriverState) => void;
}

/** The browser as WebDriver classic sees it: a current window and frame, prompts and navigations. */
export class Driver {
  readonly bidi: BidiClient;
  readonly #options: DriverOptions;
  readonly #prompts = new Map<string, z.infer<typeof promptSchema>>();
  /** Navigations of each context that have begun: resolved when they are committed or have failed. */
  readonly #navigations = new Map<string, PromiseWithResolvers<void>>();
  #prompted = Promise.withResolvers<void>();

  constructor(socket: WebSocket, options: DriverOptions) {
    this.#options = options;
    this.bidi = new BidiClient(socket, (event) => this.#handleEvent(event));
  }

  /** @returns the browser's own description of itself. @throws WebDriverError */
  async begin(): Promise<unknown> {
    const { acceptInsecureCerts } = this.state;
    // Prompts are handled here, when the next command comes.
    const capabilities = { alwaysMatch: { acceptInsecureCerts, unhandledPromptBehavior: "ignore" } };
    const begun = await this.bidi.send("session.new", { capabilities });
    await this.bidi.send("session.subscribe", { events: EVENTS.map((name) => `browsingContext.${name}`) });
    if (this.state.window === undefined) {
      const [first] = await this.windows();
      this.update({ window: first?.context ?? (await this.newWindow("tab")) });
    }
    return begun;
  }

  get state(): DriverState {
    return this.#options.state;
  }

  update(change: Partial<DriverState>): void {
    this.#options.state = { ...this.state, ...change };
    this.#options.save(this.state);
  }

  get window(): string {
    return this.state.window ?? "";
  }

  get context(): string {
    return this.state.frame ?? this.window;
  }

  get prompt() {
    return this.#prompts.get(this.window) ?? this.#prompts.get(this.context);
  }

  async windows(root?: string) {
    return treeSchema.parse(await this.bidi.send("browsingContext.getTree", { root, maxDepth: 0 })).contexts;
  }

  async newWindow(type: string): Promise<string> {
    return windowSchema.parse(await this.bidi.send("browsingContext.create", { type })).context;
  }

  /** Runs one command. One that opens a prompt ends then, without a result. */
  async run(command: () => Promise<unknown>, { isFree = false } = {}): Promise<unknown> {
    if (!isFree) await this.#handlePrompt();
    const work = async () => {
      if (!isFree) await this.settle();
      return command();
    };
    const working = work();
    // A command that waits for the prompt to be closed fails later.
    working.catch(() => undefined);
    return isFree ? working : Promise.race([working, this.#prompted.promise]);
  }

  /** Waits until the navigations that have begun are as complete as the client wants. */
  async settle(): Promise<void> {
    const { pageLoadStrategy, timeouts } = this.state;
    const wait = async (context: string) => {
      while (this.#navigations.has(context)) {
        const navigation = this.#navigations.get(context);
        await navigation?.promise;
        const target = { context, sandbox: SANDBOX };
        const functionDeclaration = `() => (${waitUntilLoaded})(${pageLoadStrategy === "normal"})`;
        // Fails when another navigation replaces the page.
        await this.bidi
          .send("script.callFunction", { functionDeclaration, target, awaitPromise: true }, this.#pageLimit)
          .catch(() => undefined);
        if (this.#navigations.get(context) === navigation) this.#navigations.delete(context);
      }
    };
    if (pageLoadStrategy === "none") return;
    const waited = Promise.all([wait(this.window), wait(this.context)]).then(() => true);
    if (await resolveWithin(waited, timeouts.pageLoad ?? NO_LIMIT_MS)) return;
    this.#navigations.clear();
    throw new WebDriverError("timeout", `the page did not load within ${timeouts.pageLoad} ms`);
  }

  /** Waits until the page has begun what input causes. */
  async react(): Promise<void> {
    const params = { expression: "0", target: { context: this.context }, awaitPromise: false };
    await this.bidi
      .send("script.evaluate", params, { ms: REACTION_TIMEOUT_MS, code: "timeout" })
      .catch(() => undefined);
    await this.settle();
  }

  async navigate(method: string, params: object): Promise<void> {
    const wait = { normal: "complete", eager: "interactive", none: "none" }[this.state.pageLoadStrategy];
    const { window } = this;
    this.update({ frame: undefined });
    await this.bidi.send(`browsingContext.${method}`, { context: window, wait, ...params }, this.#pageLimit);
    this.#navigations.delete(window);
  }

  /** Evaluates an expression in the window's top frame. */
  async evaluate(expression: string): Promise<unknown> {
    const params = { expression, target: { context: this.window, sandbox: SANDBOX }, awaitPromise: false };
    return readResult(await this.bidi.send("script.evaluate", params), SANDBOX).value;
  }

  /** Calls one of Berth's page scripts. Arguments and result are JSON with references to elements. */
  call(source: string, ...args: unknown[]): Promise<unknown> {
    return this.#call(source, args, { sandbox: SANDBOX });
  }

  /** Runs a client's script in the page. */
  execute(script: string, args: unknown[], isAsync: boolean): Promise<unknown> {
    return this.#call(`function () {\n${script}\n}`, args, { isAsync });
  }

  /** @param find a function that returns a frame's window. */
  async findFrame(find: string, argument: object): Promise<string> {
    const params = { functionDeclaration: find, arguments: [argument] };
    const found = windowSchema.safeParse((await this.#callFunction(params, SANDBOX)).value);
    if (found.success) return found.data.context;
    throw new WebDriverError("no such frame", "there is no such frame");
  }

  async cdp(method: string, params: object): Promise<Record<string, unknown>> {
    const got = await this.bidi.send("goog:cdp.getSession", { context: this.context });
    const { session } = cdpSessionSchema.parse(got);
    return cdpResultSchema.parse(await this.bidi.send("goog:cdp.sendCommand", { method, params, session }))
      .result;
  }

  async #call(
    source: string,
    args: unknown[],
    { sandbox, isAsync = false }: { sandbox?: string; isAsync?: boolean },
  ): Promise<unknown> {
    const json = JSON.stringify(args);
    const given: { sharedId: string }[] = [];
    JSON.parse(json, (_, value) => {
      const reference = referenceSchema.safeParse(value);
      if (reference.success) given.push({ sharedId: reference.data });
      return value;
    });
    const params = {
      functionDeclaration: `(json, ...nodes) => (${callWithNodes})(${source}, ${isAsync}, json, ...nodes)`,
      arguments: [{ type: "string", value: json }, ...given],
      serializationOptions: { maxDomDepth: 0 },
    };
    const { value } = await this.#callFunction(params, sandbox);
    const [{ value: text }, ...nodes] = nodesSchema.parse(value);
    return JSON.parse(text, (key, index) =>
      key === ELEMENT_KEY || key === SHADOW_KEY ? nodes[index]?.sharedId : index,
    );
  }

  async #callFunction(params: object, sandbox: string | undefined) {
    const target = { context: this.context, sandbox };
    const limit = { ms: this.state.timeouts.script ?? NO_LIMIT_MS, code: "script timeout" } as const;
    const full = { ...params, target, awaitPromise: true, userActivation: true };
    return readResult(await this.bidi.send("script.callFunction", full, limit), sandbox);
  }

  get #pageLimit() {
    return { ms: this.state.timeouts.pageLoad ?? NO_LIMIT_MS, code: "timeout" } as const;
  }

  async #handlePrompt(): Promise<void> {
    const { prompt } = this;
    if (prompt === undefined) return;
    const wanted = this.state.unhandledPromptBehavior;
    const behavior =
      typeof wanted === "string" ? wanted : (wanted[prompt.type] ?? wanted.default ?? "dismiss and notify");
    if (behavior !== "ignore") await this.closePrompt(behavior.startsWith("accept"));
    if (behavior === "accept" || behavior === "dismiss") return;
    const data = { text: prompt.message };
    throw new WebDriverError("unexpected alert open", `{Alert text : ${prompt.message}}`, data);
  }

  async closePrompt(accept: boolean, userText?: string): Promise<void> {
    const { context } = this.prompt ?? { context: this.window };
    await this.bidi.send("browsingContext.handleUserPrompt", { context, accept, userText });
    this.#forgetPrompt(context);
  }

  #forgetPrompt(context: string): void {
    if (this.#prompts.delete(context)) this.#prompted = Promise.withResolvers();
  }

  #handleEvent({ method, params }: BidiEvent): void {
    const { context } = params;
    switch (method) {
      case "browsingContext.userPromptOpened":
        this.#prompts.set(context, promptSchema.parse(params));
        if (this.prompt !== undefined) this.#prompted.resolve();
        return;
      case "browsingContext.userPromptClosed":
        return this.#forgetPrompt(context);
      case "browsingContext.navigationStarted":
        // A replaced navigation goes on as the new one.
        if (!this.#navigations.has(context)) this.#navigations.set(context, Promise.withResolvers());
        return;
      case "browsingContext.contextDestroyed":
        this.#prompts.delete(context);
    }
    this.#navigations.get(context)?.resolve();
  }
}

/** Exceptions of Berth's scripts are errors of WebDriver, named by their code. */
function readResult(answered: unknown, sandbox: string | undefined) {
  const answer = scriptSchema.parse(answered);
  if (answer.type === "success") return answer.result;
  const { text } = answer.exceptionDetails;
  const [, name = "", message = text] = /^([A-Za-z ]+): (.*)$/s.exec(text) ?? [];
  const code = sandbox === undefined ? undefined : toErrorCode(name);
  throw new WebDriverError(code ?? "javascript error", code === undefined ? text : message);
}
