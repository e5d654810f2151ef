import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";
import type { Tab, Tabs } from "../browser/index.ts";
import { PageUnresponsiveError } from "./errors.ts";

/** How long a page may take to take input. One that failed to is given less from then on, until it answers. */
const TIMEOUT_MS = 10_000;
const PATIENCE_WITH_STUCK_MS = 1000;

const NO_ANSWER =
  "The page does not answer: a script of it runs without end, or a dialog from before a restart holds it; reload it";

type InputMethod = Extract<keyof ProtocolMapping.Commands, `Input.${string}`>;

/** A page that owes so many answers gets no more input. */
const MAX_UNANSWERED = 200;

interface PageState {
  unanswered: number;
  /** Resolves when the page has taken all input that was sent so far. */
  taken: Promise<void>;
  isStuck: boolean;
}

/** Of each page what it still owes; a page that is gone takes it along. */
const states = new WeakMap<Tab, PageState>();

/**
 * Sends input to one page. Pages take it in the order of sending, so that it need not be waited for one by one:
 * {@link taken} waits for all.
 */
export class PageInput {
  readonly tab: Tab;
  readonly #tabs: Tabs;

  constructor(tab: Tab, tabs: Tabs) {
    this.tab = tab;
    this.#tabs = tabs;
  }

  /** Says that what is sent next may open a tab behind this one. */
  expectTabBehind(): void {
    this.#tabs.expectTabBehind();
  }

  /** Whether the page has much to take already: input that the next of its kind makes up for may be left out. */
  get isBehind(): boolean {
    return this.#state.unanswered >= MAX_UNANSWERED / 2;
  }

  /** @throws PageUnresponsiveError when the page has not taken much that was sent before, or has crashed. */
  send<M extends InputMethod>(method: M, parameters: ProtocolMapping.Commands[M]["paramsType"][0]): void {
    if (this.tab.hasCrashed) throw new PageUnresponsiveError("The page has crashed; reload it");
    const state = this.#state;
    if (state.unanswered >= MAX_UNANSWERED) throw new PageUnresponsiveError(NO_ANSWER);
    state.unanswered += 1;
    this.tab.lastInputAt = Date.now();
    // Input may close the very page that it goes to: what fails then was taken.
    const sent = this.tab.session
      .send(method, parameters, { timeout: 0 })
      .then(() => (mayOpenFileChooser(parameters) ? this.#hearFromPage() : undefined))
      .catch(() => undefined)
      .finally(() => {
        state.unanswered -= 1;
      });
    state.taken = Promise.all([state.taken, sent]).then(() => undefined);
  }

  /**
   * Resolves when the page has taken all input, or has opened a dialog, which holds it until it is answered.
   *
   * @throws PageUnresponsiveError when it does neither in time.
   */
  async taken(): Promise<void> {
    const state = this.#state;
    const done = state.taken.then(() => {
      state.isStuck = false;
    });
    const outcome = await this.tab.waitFor(done, state.isStuck ? PATIENCE_WITH_STUCK_MS : TIMEOUT_MS);
    if (outcome !== "late") return;
    state.isStuck = true;
    throw new PageUnresponsiveError(NO_ANSWER);
  }

  /**
   * Chrome tells on different ways that a page has taken input and that it has opened a file chooser. The answer to
   * a question to the page comes on the chooser's way, thus after it.
   */
  async #hearFromPage(): Promise<void> {
    await this.tab.session.send("Runtime.getIsolateId", undefined, { timeout: 0 });
  }

  get #state(): PageState {
    const known = states.get(this.tab);
    if (known !== undefined) return known;
    const fresh = { unanswered: 0, taken: Promise.resolve(), isStuck: false };
    states.set(this.tab, fresh);
    return fresh;
  }
}

function mayOpenFileChooser(parameters: object = {}): boolean {
  if ("key" in parameters && parameters.key === "Enter") return true;
  return "type" in parameters && parameters.type === "mouseReleased";
}
