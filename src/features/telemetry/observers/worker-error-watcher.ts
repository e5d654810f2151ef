import type { Protocol } from "devtools-protocol";
import { type DroppedEvents, dropEvents } from "../../../platform/browser/index.ts";
import { redactText, redactURL } from "../redact.ts";
import { MAX_TEXT_LENGTH, toStack } from "./console-watcher.ts";
import type { ObservedTarget, Watcher } from "./observed-target.ts";
import type { Source, Throttle } from "./throttle.ts";

/** Errors of dedicated workers, from the page's log at no cost; it has none of shared and service workers. */
export class WorkerErrorWatcher implements Watcher, Source {
  readonly #target: ObservedTarget;
  readonly #throttle: Throttle;
  readonly #areWorkersObserved: () => boolean;
  #isOn = false;

  /** @param areWorkersObserved whether workers report their errors themselves. */
  constructor(target: ObservedTarget, throttle: Throttle, areWorkersObserved: () => boolean) {
    this.#target = target;
    this.#throttle = throttle;
    this.#areWorkersObserved = areWorkersObserved;
    target.session.on("Log.entryAdded", ({ entry }) => this.#handleEntry(entry));
  }

  get isWanted(): boolean {
    const { observed } = this.#target;
    return observed.wants("console", "console_error") && !observed.isStealth && !this.#areWorkersObserved();
  }

  async start(): Promise<void> {
    if (this.#isOn) return;
    this.#isOn = true;
    if (this.#throttle.add(this)) await this.enable();
  }

  async stop(): Promise<void> {
    if (!this.#isOn) return;
    this.close();
    await this.disable();
  }

  close(): void {
    this.#isOn = false;
    this.#throttle.remove(this);
  }

  /** The browser keeps earlier entries and would repeat them. */
  async enable(): Promise<void> {
    const { session } = this.#target;
    await this.#target.trySend(session.send("Log.clear"), session.send("Log.enable"));
  }

  drop(): DroppedEvents {
    return dropEvents(this.#target.session, ["Log."]);
  }

  async disable(): Promise<void> {
    await this.#target.trySend(this.#target.session.send("Log.disable"));
  }

  #handleEntry({ source, level, text, url, lineNumber, stackTrace, timestamp }: Protocol.Log.LogEntry): void {
    if (!this.#isOn || source !== "worker" || !this.#throttle.admit(this) || level !== "error") return;
    this.#target.record("console", "console_error", {
      event: "Log.entryAdded",
      ts: timestamp * 1000,
      data: {
        level,
        text: redactText(text, MAX_TEXT_LENGTH),
        line: lineNumber,
        source_url: url === undefined ? undefined : redactURL(url),
        stack_trace: toStack(stackTrace),
      },
      place: { url },
    });
  }
}
