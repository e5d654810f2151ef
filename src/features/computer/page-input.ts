import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";
import type { Tab, Tabs } from "../../platform/browser/index.ts";
import { PageUnresponsiveError } from "./errors.ts";

/** After a time-out, the page gets a shorter limit until it answers. */
const TIMEOUT_MS = 10_000;
const STUCK_TIMEOUT_MS = 1000;

const NO_ANSWER =
  "The page does not answer: one of its scripts runs endlessly, or a dialog from before a restart blocks it; reload it";

type InputMethod = Extract<keyof ProtocolMapping.Commands, `Input.${string}`>;

const MAX_UNANSWERED = 200;

interface PageState {
  unanswered: number;
  handled: Promise<void>;
  isStuck: boolean;
}

const states = new WeakMap<Tab, PageState>();

/** Sends input to a page, which handles it in order. {@link handled} waits for all of it. */
export class PageInput {
  readonly tab: Tab;
  readonly #tabs: Tabs;

  constructor(tab: Tab, tabs: Tabs) {
    this.tab = tab;
    this.#tabs = tabs;
  }

  expectBackgroundTab(): void {
    this.#tabs.expectBackgroundTab();
  }

  get hasBacklog(): boolean {
    return this.#state.unanswered >= MAX_UNANSWERED / 2;
  }

  /** @throws PageUnresponsiveError when too much input is pending or the page has crashed. */
  send<M extends InputMethod>(method: M, parameters: ProtocolMapping.Commands[M]["paramsType"][0]): void {
    if (this.tab.hasCrashed) throw new PageUnresponsiveError("The page has crashed; reload it");
    const state = this.#state;
    if (state.unanswered >= MAX_UNANSWERED) throw new PageUnresponsiveError(NO_ANSWER);
    state.unanswered += 1;
    this.tab.lastInputAt = Date.now();
    // Input can close its page; then the failure does not matter.
    const sent = this.tab.session
      .send(method, parameters, { timeout: 0 })
      .then(() => (mayOpenFileChooser(parameters) ? this.#waitForReply() : undefined))
      .catch(() => undefined)
      .finally(() => {
        state.unanswered -= 1;
      });
    state.handled = Promise.all([state.handled, sent]).then(() => undefined);
  }

  /** Waits until the page has handled all input or opened a dialog. @throws PageUnresponsiveError if late. */
  async handled(): Promise<void> {
    const state = this.#state;
    const done = state.handled.then(() => {
      state.isStuck = false;
    });
    const outcome = await this.tab.waitFor(done, state.isStuck ? STUCK_TIMEOUT_MS : TIMEOUT_MS);
    if (outcome !== "late") return;
    state.isStuck = true;
    throw new PageUnresponsiveError(NO_ANSWER);
  }

  /** The page's answer arrives after a file chooser's event: unlike input, they share a channel. */
  async #waitForReply(): Promise<void> {
    await this.tab.session.send("Runtime.getIsolateId", undefined, { timeout: 0 });
  }

  get #state(): PageState {
    const known = states.get(this.tab);
    if (known !== undefined) return known;
    const fresh = { unanswered: 0, handled: Promise.resolve(), isStuck: false };
    states.set(this.tab, fresh);
    return fresh;
  }
}

function mayOpenFileChooser(parameters: object = {}): boolean {
  if ("key" in parameters && parameters.key === "Enter") return true;
  return "type" in parameters && parameters.type === "mouseReleased";
}
